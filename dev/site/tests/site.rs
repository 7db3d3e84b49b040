//! The site of this documentation, and what is found in one that has faults.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::path::Path;

use site::{build, links};
use tempfile::tempdir;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn every_page_is_there_and_found_and_every_link_leads_somewhere() {
    let folder = tempdir().unwrap();
    let unlinked = build(root(), folder.path(), None).unwrap();
    assert_eq!(links::faults(folder.path()).unwrap(), [""; 0]);
    assert!(unlinked.contains("examples/README.md"), "{unlinked:?}");
    let files = links::files(folder.path()).unwrap();
    let sources = files.iter().filter_map(|path| path.strip_suffix(".md"));
    let others = ["README", "CHANGELOG", "CONTRIBUTING", "SECURITY"];
    let pages: Vec<&str> = sources.chain(others).collect();
    assert!(pages.len() > 80, "{pages:?}");
    let text = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    let toc = text("toc.html");
    for page in pages {
        assert!(files.contains(&format!("{page}.html")), "{page}");
        assert!(toc.contains(&format!("href=\"{page}.html\"")), "{page}");
    }
    assert_eq!(text("index.html"), text("README.html"));
    let index = files.iter().find(|path| path.starts_with("searchindex-"));
    assert!(text(index.unwrap()).contains("turn_minutes"));
}

#[test]
fn a_link_to_a_source_leads_to_the_repository() {
    let folder = tempdir().unwrap();
    let address = "https://code.example/room";
    let unlinked = build(root(), folder.path(), Some(address)).unwrap();
    assert!(unlinked.is_empty(), "{unlinked:?}");
    let page = fs::read_to_string(folder.path().join("docs/README.html")).unwrap();
    let link = format!("<a href=\"{address}/blob/HEAD/examples/README.md\">Examples</a>");
    assert!(page.contains(&link), "{page}");
}

#[test]
fn what_leads_nowhere_or_comes_from_another_host_is_found() {
    let folder = tempdir().unwrap();
    let faults = |a: &str, style: &str| {
        fs::create_dir_all(folder.path().join("sub")).unwrap();
        let b = "<a href='x'> <h1 id=\"here\"><a href=\"#here\">b</a></h1>";
        for (name, text) in [("a.html", a), ("sub/b.html", b), ("sub/c.css", style)] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        links::faults(folder.path()).unwrap()
    };
    let sound = "<p id=\"top\"> <a class=\"l\" href=\"sub/b.html#here\"> <a href=\"./sub/../a.html#top\"> \
        <a href=\"https://b.example/\"> <a href=\"mailto:a@b.example\"> <img src=\"data:,\"> &lt;a href=\"none\"";
    assert_eq!(faults(sound, "a { b: url('c.css') }"), [""; 0]);
    assert_eq!(
        faults(
            "<a href=\"none.html\"> <a href=\"sub/b.html#none\"> <a href=\"#none\"> <a href=\"sub\"> \
            <script src=\"https://b.example/x.js\"></script> <img alt=\"a\" src=\"//b.example/x.png\">",
            "a { b: url(https://b.example/x.woff2), url(\"none.woff2\") }",
        ),
        [
            "a.html: none.html leads nowhere",
            "a.html: sub/b.html#none names no place of that page",
            "a.html: #none names no place of that page",
            "a.html: sub leads nowhere",
            "a.html: https://b.example/x.js is on another host",
            "a.html: //b.example/x.png is on another host",
            "sub/c.css: https://b.example/x.woff2 is on another host",
            "sub/c.css: none.woff2 leads nowhere",
        ]
    );
}

#[test]
fn the_address_of_the_repository_is_the_one_of_the_manifest() {
    let folder = tempdir().unwrap();
    let manifest = folder.path().join("Cargo.toml");
    for (line, address) in [
        (
            "repository = \"https://code.example/room/\"\n",
            Some("https://code.example/room"),
        ),
        ("license = \"MIT\"\n", None),
    ] {
        fs::write(&manifest, format!("[package]\n{line}")).unwrap();
        let found = site::repository(folder.path()).unwrap();
        assert_eq!(found.as_deref(), address);
    }
}
