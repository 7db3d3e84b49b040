//! Where the links of a site lead: each to a file that is there, and nothing is loaded from another host.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::{at, read};

/// What leads from a page to another file, or loads it.
pub(crate) struct Link<'a> {
    /// The element, or `url` in a style sheet.
    pub(crate) tag: &'a str,
    /// The address as it stands in the page.
    pub(crate) value: &'a str,
}

impl Link<'_> {
    /// The file of this site that it means, and the place there, on a page with that path; none where it means another site.
    pub(crate) fn target(&self, page: &str) -> Option<(String, &str)> {
        let (path, place) = self.value.split_once('#').unwrap_or((self.value, ""));
        let has_scheme = path.split('/').next()?.contains(':');
        if has_scheme || path.starts_with("//") {
            return None;
        }
        let target = match path {
            "" => page.to_owned(),
            path => resolve(page, path),
        };
        Some((target, place))
    }
}

/// What is wrong with the links of a site.
///
/// # Errors
/// When a file cannot be read.
pub fn faults(site: &Path) -> Result<Vec<String>, String> {
    let (files, mut texts) = (files(site)?, Vec::new());
    for path in &files {
        if is(path, "html") || is(path, "css") {
            texts.push((path, read(&site.join(path))?));
        }
    }
    let mut places = BTreeSet::new();
    for (path, text) in &texts {
        let ids = attributes(text).filter(|(_, name, _)| *name == "id");
        places.extend(ids.map(|(.., id)| ((*path).clone(), id)));
    }
    let fault = |page: &str, link: &Link<'_>| match link.target(page) {
        // What an address holds itself is loaded from nowhere.
        None if link.tag == "a" || link.value.starts_with("data:") => None,
        None => Some("is on another host"),
        Some((target, _)) if !files.contains(&target) => Some("leads nowhere"),
        Some((_, "")) => None,
        Some(place) => (!places.contains(&place)).then_some("names no place of that page"),
    };
    let mut faults = Vec::new();
    for (path, text) in &texts {
        for link in links(text).chain(urls(text).filter(|_| is(path, "css"))) {
            let fault = fault(path, &link);
            faults.extend(fault.map(|fault| format!("{path}: {} {fault}", link.value)));
        }
    }
    Ok(faults)
}

/// What the elements of a page lead to or load.
pub(crate) fn links(page: &str) -> impl Iterator<Item = Link<'_>> {
    let all = attributes(page).filter(|(_, name, _)| matches!(*name, "href" | "src"));
    all.map(|(tag, _, value)| Link { tag, value })
}

/// What a style sheet loads.
fn urls(sheet: &str) -> impl Iterator<Item = Link<'_>> {
    let values = sheet.split("url(").skip(1);
    values.filter_map(|rest| {
        let value = rest.split(')').next()?.trim_matches(['"', '\'', ' ']);
        Some(Link { tag: "url", value })
    })
}

/// The attributes of a page: element, name and value. mdBook escapes what would end one in between.
fn attributes(page: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let elements = page.split('<').filter_map(|rest| rest.split('>').next());
    elements.flat_map(|element| {
        let (tag, rest) = element.split_once(' ').unwrap_or_default();
        let mut parts = rest.split('"');
        std::iter::from_fn(move || {
            let name = parts.next()?.trim().strip_suffix('=')?;
            Some((tag, name.rsplit(' ').next()?, parts.next()?))
        })
    })
}

/// The path from the root of what is named by a path on a page.
pub(crate) fn resolve(page: &str, path: &str) -> String {
    let mut folders: Vec<&str> = page.split('/').collect();
    folders.pop();
    for name in path.split('/') {
        match name {
            "." => {}
            ".." => drop(folders.pop()),
            name => folders.push(name),
        }
    }
    folders.join("/")
}

pub(crate) fn is(path: &str, end: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|found| found == end)
}

/// The paths of all files in a folder, and in the folders there.
///
/// # Errors
/// When a folder cannot be read.
pub fn files(folder: &Path) -> Result<BTreeSet<String>, String> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(|error| at(folder, &error))? {
        let entry = entry.map_err(|error| at(folder, &error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            let below = files(&entry.path())?.into_iter();
            all.extend(below.map(|file| format!("{name}/{file}")));
        } else {
            all.insert(name);
        }
    }
    Ok(all)
}
