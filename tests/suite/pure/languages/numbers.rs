//! What the texts of a language make of numbers: plural forms, digits in groups, waits.

use now_serving::i18n::{LANGUAGES, Language};

fn language(tag: &str) -> &'static Language {
    LANGUAGES.iter().find(|words| words.tag == tag).unwrap()
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
        ("en", Some(5_000_000), "46 to 69 days"),
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
