//! Which pages the build compiles, and which it leaves to Handlebars: `docs/how-to/write-your-own-page.md`.

#[path = "../../../build/parts.rs"]
mod parts;
#[expect(dead_code, reason = "files are read and written by the build alone")]
#[path = "../../../build/words.rs"]
mod words;

use crate::pure::conventions::text;
use parts::{ACCEPTED, Languages, compiled, missing};

fn languages() -> Languages {
    let texts = |said: &str| [("a".to_owned(), said.to_owned())].into();
    [("en", texts("A")), ("de", texts("Ä"))]
        .map(|(tag, texts)| (tag.to_owned(), texts))
        .into()
}

#[test]
fn a_page_of_plain_tags_is_compiled() {
    for page in [
        "",
        "a",
        "{{title}}{{text.a}}{{brand.light}}",
        "a{{#if b}}c{{#each d}}{{e}}{{/each}}{{/if}} } {f}",
        "<style>p { color: {{brand.light}} }</style><script>'{{text.a}}'</script>",
        "<script type=application/json>{{title}}</script>",
    ] {
        assert!(compiled(page, &languages()).is_some(), "{page}: {ACCEPTED}");
    }
}

#[test]
fn a_page_with_any_other_tag_is_left_to_handlebars() {
    for page in [
        "{{#if a}}b{{else}}c{{/if}}",
        "{{#unless a}}b{{/unless}}",
        "{{#each a}}{{this}}{{/each}}",
        "{{{a}}}",
        "{{&a}}",
        "{{ a }}",
        "{{! a }}",
        "{{> a}}",
        "{{len}}",
        "{{lookup}}",
        "{{a.0}}",
        "{{a",
        "\\{{a}}",
        "{{#if a}}b",
        "{{#if a}}b{{/each}}",
        "b{{/if}}",
        "{{#if true}}b{{/if}}",
        "{{#if 1}}b{{/if}}",
        "{{elsewhere}}",
        "{{#if as}}b{{/if}}",
        "{{#if a.null}}b{{/if}}",
        "{{brand}}",
        "{{#each brand}}b{{/each}}",
        "{{text.b}}",
        "{{brand.b}}",
        "<style>{{title}}</style>",
        "<script>{{#if a}}b{{/if}}</script>",
        "<style>p {}",
    ] {
        assert!(compiled(page, &languages()).is_none(), "{page}");
    }
}

#[test]
fn who_writes_a_language_is_told_which_text_of_a_page_it_lacks() {
    let mut languages = languages();
    let page = "{{text.a}}{{#if b}}{{text.a}}{{/if}}{{c}}";
    assert!(missing(page, &languages).is_empty());
    languages.insert("fr".to_owned(), [("a".to_owned(), String::new())].into());
    languages.insert("it".to_owned(), [].into());
    let lacking = ["fr", "it"].map(|tag| {
        format!(
            "templates/words/{tag}.json has no text a, \
             so visitors in that language get a plain notice, and for others the page takes longer"
        )
    });
    assert_eq!(missing(page, &languages), lacking);
    assert_eq!(missing("{{ text.a }}", &languages), lacking);
    let mistyped = missing("{{text.mistyped}}", &languages);
    assert_eq!(
        mistyped,
        ["no language has the text mistyped, so all visitors get a plain notice"]
    );
    assert!(compiled(page, &languages).is_none());
}

#[test]
fn a_line_of_a_language_that_cannot_be_read_is_told() {
    let read = words::texts("\u{feff}{\r\n\"a\":\"A, \",\r\n\n\"b\":\"\"\n}\n").unwrap();
    let read: Vec<(&str, &str)> = read.iter().map(|(name, text)| (&**name, &**text)).collect();
    assert_eq!(read, [("a", "A, "), ("b", "")]);
    for line in [
        "  \"a\":\"A\",",
        "\"a\": \"A\",",
        "\"a\":\"A\" ,",
        "\"a\":\"A",
        "\"a\":\"A\",\"b\":\"B\"",
        "\"a\":\"\\u00e9\"",
        "<<<<<<< HEAD",
    ] {
        let told = words::texts(&format!("{{\n{line}\n}}"));
        let told = told.err().unwrap_or_default();
        assert!(
            told.starts_with("line 2 is not \"name\":\"text\","),
            "{line}: {told}"
        );
    }
}

#[test]
fn an_element_has_one_digest_for_each_thing_it_may_be() {
    let count = |page: &str| {
        let compiled = compiled(page, &languages()).unwrap_or_default();
        let digests = compiled.matches("=\")").count();
        (digests, compiled.matches("branded: Parts(\"\")").count())
    };
    assert_eq!(count("<style>p {}</style>"), (1, 1));
    assert_eq!(count("<script>'{{text.a}}'</script>"), (2, 1));
    assert_eq!(count("<style>p { color: {{brand.light}} }</style>"), (1, 0));
}

#[test]
fn the_example_of_the_documentation_is_compiled() {
    let how_to = text("docs/how-to/write-your-own-page.md");
    let page = how_to.split("```html\n").nth(1).unwrap();
    let page = page.split("```").next().unwrap();
    let mut languages = languages();
    for texts in languages.values_mut() {
        let names = [
            "number",
            "number_here",
            "serving",
            "lot",
            "unsent",
            "support",
        ];
        texts.extend(names.map(|name| (name.to_owned(), "b".to_owned())));
    }
    assert!(compiled(page, &languages).is_some(), "{page}");
}
