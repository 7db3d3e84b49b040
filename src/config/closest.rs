//! What may have been meant by a name that is none.

/// The name that a misspelt one is nearest to, if it is near enough to be what was meant.
#[must_use]
pub fn closest<'a>(wrong: &str, names: &[&'a str]) -> Option<&'a str> {
    let wrong = wrong.to_ascii_lowercase().replace(['-', '.', ' '], "_");
    let begins = |name: &str| wrong.len() >= 4 && name.starts_with(&wrong);
    let distance = |name: &&'a str| {
        let distance = if begins(name) { 1 } else { edits(&wrong, name) };
        (distance, *name)
    };
    let (distance, name) = names.iter().map(distance).min()?;
    (distance <= 2 || distance * 4 <= name.len()).then_some(name)
}

/// How many characters have to be put in, left out or exchanged to make one of the other (Levenshtein).
fn edits(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (at, left) in one.chars().enumerate() {
        let mut diagonal = at;
        let mut before = at + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(other.chars()) {
            let exchanged = diagonal + usize::from(left != right);
            diagonal = *cell;
            before = exchanged.min(before + 1).min(*cell + 1);
            *cell = before;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (one, other, count) in [
            ("", "", 0),
            ("", "ab", 2),
            ("ab", "", 2),
            ("ab", "ab", 0),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
            ("é", "e", 1),
        ] {
            assert_eq!(edits(one, other), count, "{one} {other}");
        }
    }

    #[test]
    fn a_misspelt_name_is_near_to_the_one_that_was_meant_and_a_strange_one_to_none() {
        const NAMES: [&str; 5] = [
            "automatic",
            "automatic_quantity",
            "bypass_paths",
            "room",
            "message",
        ];
        for (wrong, meant) in [
            ("automatik", Some("automatic")),
            ("automatic-quantity", Some("automatic_quantity")),
            ("bypass", Some("bypass_paths")),
            ("bypass_path", Some("bypass_paths")),
            ("byPass_Paths", Some("bypass_paths")),
            ("mesage", Some("message")),
            ("rom", Some("room")),
            ("turnstile_key", None),
            ("", None),
            ("rooms_of_all_regions", None),
            ("events", None),
        ] {
            assert_eq!(closest(wrong, &NAMES), meant, "{wrong}");
        }
        assert_eq!(closest("room", &[]), None);
    }
}
