//! The texts of every language, in one order, so that a name is looked up once for all of them and no language is read when
//! it is shown: `src/i18n/mod.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use super::parts::Languages;

/// The files `*.json` of `templates/words`: one `"name":"text",` a line, without escapes.
pub(crate) fn read() -> Result<Languages, Box<dyn Error>> {
    let mut languages = Languages::new();
    for file in fs::read_dir("templates/words")? {
        let path = file?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Notes, and what an editor or a file manager leaves, are no languages.
        let Some(tag) = name
            .strip_suffix(".json")
            .filter(|_| !name.starts_with('.'))
        else {
            continue;
        };
        let json = fs::read_to_string(&path)
            .map_err(|error| format!("{} could not be read: {error}", path.display()))?;
        languages.insert(
            tag.to_owned(),
            texts(&json).map_err(|error| format!("{}: {error}", path.display()))?,
        );
    }
    in_english(&mut languages);
    Ok(languages)
}

/// Gives each language the English of what it does not have yet. What counts has forms of its own in each.
fn in_english(languages: &mut Languages) {
    let english = languages.get("en").cloned().unwrap_or_default();
    let counts = |name: &str| name.ends_with("_one") || name.ends_with("_other");
    for texts in languages.values_mut() {
        for (name, text) in english.iter().filter(|(name, _)| !counts(name)) {
            let own = texts.entry(name.clone()).or_default();
            if own.is_empty() {
                own.clone_from(text);
            }
        }
    }
}

/// The texts of one file, by name. An editor's byte order mark is none of them.
pub(crate) fn texts(json: &str) -> Result<BTreeMap<String, String>, String> {
    let text = |line: &str| {
        let text = line.strip_prefix('"')?;
        let text = text.strip_suffix(',').unwrap_or(text).strip_suffix('"')?;
        let (name, text) = text.split_once("\":\"")?;
        let is_plain = !text.contains(['"', '\\']);
        is_plain.then(|| (name.to_owned(), text.to_owned()))
    };
    let json = json.strip_prefix('\u{feff}').unwrap_or(json);
    let lines = json.lines().enumerate();
    let told = lines.filter(|(_, line)| !["", "{", "}"].contains(&line.trim()));
    told.map(|(at, line)| {
        let expected = "\"name\":\"text\", without escapes or other white space";
        text(line).ok_or_else(|| format!("line {} is not {expected}", at + 1))
    })
    .collect()
}

/// Writes the names of all texts, and for each language the texts behind one another and where each ends: one that the
/// language does not have is empty.
pub(crate) fn write(folder: &Path, languages: &Languages) -> Result<(), Box<dyn Error>> {
    let names: BTreeSet<&String> = languages.values().flat_map(|texts| texts.keys()).collect();
    let names: Vec<&String> = names.into_iter().collect();
    fs::write(folder.join("names.rs"), format!("&{names:?}"))?;
    for (tag, texts) in languages {
        let (mut all, mut ends) = (String::new(), Vec::new());
        for name in &names {
            all.extend(texts.get(*name).map(String::as_str));
            ends.push(u16::try_from(all.len())?);
        }
        fs::write(folder.join(format!("{tag}.txt")), all)?;
        fs::write(folder.join(format!("{tag}.rs")), format!("&{ends:?}"))?;
    }
    Ok(())
}
