//! Which language a visitor gets, from `Accept-Language`.

use now_serving::i18n::words;
use proptest::prelude::*;

use crate::traces::{Traces, runner};

#[test]
fn the_language_is_the_one_the_visitor_reads_best_of_those_there_are() {
    for (accept_language, tag) in [
        ("", "en"),
        ("de", "de"),
        ("DE-at", "de"),
        ("pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7", "pt-BR"),
        ("pt", "pt-BR"),
        ("PT_br", "pt-BR"),
        ("pt-Latn-BR", "pt-BR"),
        ("pt-PT,pt;q=0.9,en;q=0.8", "pt-PT"),
        ("pt-AO", "pt-PT"),
        ("pt-mz,en;q=0.5", "pt-PT"),
        ("pt-Latn-PT", "pt-PT"),
        ("pt-BR;q=0, pt-PT;q=0.5, en;q=0.1", "pt-PT"),
        ("pt;q=0, pt-PT, ko;q=0.1", "pt-PT"),
        ("en;q=0.5, fr;q=0.9, de;q=0.1", "fr"),
        ("fr ; q=0.5 , sv ; q=0.7", "sv"),
        ("fr;q=0.5, it;q=0.5", "fr"),
        ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"),
        ("zh-SG", "zh-Hans"),
        ("zh-TW", "zh-Hant"),
        ("zh_HK", "zh-Hant"),
        ("zh-MO,zh;q=0.9", "zh-Hant"),
        ("zh-hant-CN", "zh-Hant"),
        ("zh-Hans-HK", "zh-Hans"),
        ("iw-IL", "he"),
        ("nb-NO, nn;q=0.9, sv;q=0.8, en;q=0.7", "sv"),
        ("nb-NO", "en"),
        ("den, enm, x-de, i-klingon", "en"),
        ("*", "en"),
        ("*, de;q=0.1", "de"),
        ("en;q=0, *", "de"),
        ("*;q=0", "en"),
        ("*;q=0, ja;q=0.1", "ja"),
        ("de;q=0, de-AT, uk;q=0.1", "uk"),
        ("en-GB;q=0, en", "en"),
        ("zh;q=0, zh-TW, ko;q=0.1", "ko"),
        ("zh;q=0, zh-Hant", "zh-Hant"),
        ("de;q=0", "en"),
        ("hi;q=2", "hi"),
        ("hi;q=loud, ar;q=0.9", "hi"),
        (";;;,,q=1,*-*,-,de-", "de"),
        ("ド;q=1, é-É, nl", "nl"),
    ] {
        assert_eq!(words(accept_language).tag, tag, "{accept_language}");
    }
    let many = format!("{}de", "xx,".repeat(9_999));
    assert_eq!(words(&many).tag, "en", "nobody reads ten thousand");
}

#[test]
fn whatever_is_accepted_there_is_a_language() {
    let likely = "([a-zA-Z*]{0,3}|zh|en|de)([-_][a-zA-Z]{0,4}){0,2}(;q=[0-9.é]{0,5})?";
    let header = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..60),
        prop::collection::vec(likely, 0..9).prop_map(|ranges| ranges.join(",").into_bytes()),
    ];
    let outcome = runner(Traces::Known(2_000)).run(&header, |bytes| {
        prop_assert!(!words(&String::from_utf8_lossy(&bytes)).tag.is_empty());
        Ok(())
    });
    outcome.unwrap();
}
