//! Which form of a text a whole number takes: the cardinal rules of Unicode's CLDR 48, `common/supplemental/plurals.xml`.

pub(super) fn other(_: u64) -> &'static str {
    "other"
}

pub(super) fn one_or_other(number: u64) -> &'static str {
    match number {
        1 => "one",
        _ => "other",
    }
}

pub(super) fn hindi(number: u64) -> &'static str {
    match number {
        0 | 1 => "one",
        _ => "other",
    }
}

/// Italian and the Portuguese of Portugal too.
pub(super) fn spanish(number: u64) -> &'static str {
    match number {
        1 => "one",
        _ => millions_or_other(number),
    }
}

/// The Portuguese of Brazil too.
pub(super) fn french(number: u64) -> &'static str {
    match number {
        0 | 1 => "one",
        _ => millions_or_other(number),
    }
}

fn millions_or_other(number: u64) -> &'static str {
    if number > 0 && number.is_multiple_of(1_000_000) {
        "many"
    } else {
        "other"
    }
}

pub(super) fn polish(number: u64) -> &'static str {
    match number {
        1 => "one",
        _ => few_or_many(number),
    }
}

pub(super) fn ukrainian(number: u64) -> &'static str {
    match (number % 10, number % 100) {
        (1, 11) => "many",
        (1, _) => "one",
        _ => few_or_many(number),
    }
}

fn few_or_many(number: u64) -> &'static str {
    match (number % 10, number % 100) {
        (_, 12..=14) => "many",
        (2..=4, _) => "few",
        _ => "many",
    }
}

pub(super) fn arabic(number: u64) -> &'static str {
    match (number, number % 100) {
        (0, _) => "zero",
        (1, _) => "one",
        (2, _) => "two",
        (_, 3..=10) => "few",
        (_, 11..=99) => "many",
        _ => "other",
    }
}

pub(super) fn hebrew(number: u64) -> &'static str {
    match number {
        1 => "one",
        2 => "two",
        _ => "other",
    }
}
