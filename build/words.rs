//! The texts of every language, in one order, so that a name is looked up once for all of them and no language is read when
//! it is shown: `src/i18n/mod.rs`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;

use crate::parts::Languages;

/// The files `*.json` of `templates/words`: one `"name":"text",` a line, without escapes.
pub(crate) fn read() -> Result<Languages, Box<dyn Error>> {
    let mut languages = Languages::new();
    for file in fs::read_dir("templates/words")? {
        let path = file?.path();
        // Notes and what a file manager leaves are no languages.
        if path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        let tag = path.file_stem().unwrap_or_default().to_string_lossy();
        let json = fs::read_to_string(&path)
            .map_err(|error| format!("{} could not be read: {error}", path.display()))?;
        let text = |line: &str| {
            let text = line.strip_prefix('"')?.trim_end_matches(',');
            let (name, text) = text.strip_suffix('"')?.split_once("\":\"")?;
            Some((name.to_owned(), text.to_owned()))
        };
        let texts = json.lines().filter_map(text).collect();
        languages.insert(tag.into_owned(), texts);
    }
    Ok(languages)
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
