//! What each language makes of numbers: plural forms, digits in groups, waits.

use now_serving::i18n::{LANGUAGES, Language};

fn language(tag: &str) -> &'static Language {
    LANGUAGES.iter().find(|words| words.tag == tag).unwrap()
}

/// What ICU 78 (CLDR 48) says: 0, 1, 2, f(ew), m(any), - other.
#[test]
fn every_number_takes_the_form_its_language_gives_it() {
    let numbers = [
        0, 1, 2, 3, 5, 10, 11, 12, 14, 21, 22, 25, 100, 101, 102, 103, 111, 112, 1_000, 1_000_000,
    ];
    for (tag, forms) in [
        ("en", "- 1 - - - - - - - - - - - - - - - - - -"),
        ("de", "- 1 - - - - - - - - - - - - - - - - - -"),
        ("fr", "1 1 - - - - - - - - - - - - - - - - - m"),
        ("es", "- 1 - - - - - - - - - - - - - - - - - m"),
        ("it", "- 1 - - - - - - - - - - - - - - - - - m"),
        ("pt-BR", "1 1 - - - - - - - - - - - - - - - - - m"),
        ("pt-PT", "- 1 - - - - - - - - - - - - - - - - - m"),
        ("nl", "- 1 - - - - - - - - - - - - - - - - - -"),
        ("pl", "m 1 f f m m m m m m f m m m f f m m m m"),
        ("sv", "- 1 - - - - - - - - - - - - - - - - - -"),
        ("uk", "m 1 f f m m m m m 1 f m m 1 f f m m m m"),
        ("ar", "0 1 2 f f f m m m m m m - - - f m m - -"),
        ("he", "- 1 2 - - - - - - - - - - - - - - - - -"),
        ("hi", "1 1 - - - - - - - - - - - - - - - - - -"),
        ("ja", "- - - - - - - - - - - - - - - - - - - -"),
        ("ko", "- - - - - - - - - - - - - - - - - - - -"),
        ("zh-Hans", "- - - - - - - - - - - - - - - - - - - -"),
        ("zh-Hant", "- - - - - - - - - - - - - - - - - - - -"),
    ] {
        let taken = numbers.map(|number| match language(tag).plural(number) {
            "zero" => "0",
            "one" => "1",
            "two" => "2",
            "few" => "f",
            "many" => "m",
            _ => "-",
        });
        assert_eq!(taken.join(" "), forms, "{tag}");
    }
}

/// What ICU 78 writes; `_` is a space at which no line breaks, `'` a narrow one.
#[test]
fn every_number_is_written_as_its_language_writes_it() {
    let numbers = [
        0,
        999,
        1_000,
        9_999,
        10_000,
        123_456,
        1_234_567,
        12_345_678_901,
    ];
    let commas = "0 999 1,000 9,999 10,000 123,456 1,234,567 12,345,678,901";
    for (tags, written) in [
        ("en ar he ja ko zh-Hans zh-Hant", commas),
        (
            "hi",
            "0 999 1,000 9,999 10,000 1,23,456 12,34,567 12,34,56,78,901",
        ),
        (
            "de pt-BR nl",
            "0 999 1.000 9.999 10.000 123.456 1.234.567 12.345.678.901",
        ),
        (
            "es it",
            "0 999 1000 9999 10.000 123.456 1.234.567 12.345.678.901",
        ),
        (
            "sv uk",
            "0 999 1_000 9_999 10_000 123_456 1_234_567 12_345_678_901",
        ),
        (
            "pl pt-PT",
            "0 999 1000 9999 10_000 123_456 1_234_567 12_345_678_901",
        ),
        (
            "fr",
            "0 999 1'000 9'999 10'000 123'456 1'234'567 12'345'678'901",
        ),
    ] {
        for tag in tags.split(' ') {
            let told = numbers.map(|number| language(tag).number(number));
            let written = written.replace('_', "\u{a0}").replace('\'', "\u{202f}");
            assert_eq!(told.join(" "), written, "{tag}");
        }
    }
}

#[test]
fn what_counts_agrees_with_its_number() {
    for (tag, number, text) in [
        ("en", 1, "There is 1 person ahead of you."),
        ("en", 3_288, "There are 3,288 people ahead of you."),
        ("es", 1_000_000, "Hay 1.000.000 personas delante de usted."),
        ("pt-BR", 0, "Há 0 pessoa à sua frente."),
        ("pt-PT", 0, "Há 0 pessoas à sua frente."),
        ("pl", 22, "Przed Państwem czekają 22 osoby."),
        ("pl", 112, "Przed Państwem czeka 112 osób."),
        ("uk", 21, "Перед вами 21 людина."),
        ("uk", 11, "Перед вами 11 людей."),
        ("ar", 2, "أمامك شخصان."),
        ("ar", 103, "أمامك 103 أشخاص."),
        ("he", 2, "לפניכם שני אנשים."),
        ("hi", 1_234_567, "आपसे आगे 12,34,567 लोग हैं।"),
    ] {
        assert_eq!(language(tag).counted("ahead", number), text, "{tag}");
    }
}

#[test]
fn a_wait_is_worded_in_every_grammar() {
    for (tag, seconds, told) in [
        ("en", None, "unknown at the moment"),
        ("en", Some(59), "less than a minute"),
        ("en", Some(60), "about 1 minute"),
        ("en", Some(720), "about 12 minutes"),
        ("en", Some(3_000), "40 to 60 minutes"),
        ("en", Some(5_000), "1 to 2 hours"),
        ("en", Some(7_200), "about 2 hours"),
        ("en", Some(5_000_000), "1,111 to 1,667 hours"),
        ("pl", Some(120), "około 2 minut"),
        ("pl", Some(3_000), "od 40 do 60 minut"),
        ("uk", Some(60), "близько 1 хвилини"),
        ("uk", Some(63_000), "від 14 до 21 години"),
        ("ja", Some(3_000), "40～60分"),
        ("ar", Some(3_000), "من 40 إلى 60 دقيقة"),
        ("ar", Some(5_000), "من ساعة واحدة إلى ساعتين"),
        ("ar", Some(7_500), "من ساعتين إلى 3 ساعات"),
        ("he", Some(5_000), "שעה אחת עד שעתיים"),
        ("he", Some(18_000), "4 עד 6 שעות"),
    ] {
        assert_eq!(language(tag).wait(seconds), told, "{tag} {seconds:?}");
    }
}
