//! How a number is written: digits in groups, as Unicode's CLDR 48 has it for each language.

/// What stands between groups, and where groups begin.
pub(super) struct Grouping {
    mark: char,
    /// The least number that is grouped: some languages leave four digits together.
    from: u64,
    /// Digits in a group above the thousands.
    above: usize,
}

pub(super) const COMMA: Grouping = by_three(',', 1_000);
pub(super) const DOT: Grouping = by_three('.', 1_000);
pub(super) const LATE_DOT: Grouping = by_three('.', 10_000);
// Spaces at which no line breaks.
pub(super) const SPACE: Grouping = by_three('\u{a0}', 1_000);
pub(super) const LATE_SPACE: Grouping = by_three('\u{a0}', 10_000);
pub(super) const NARROW_SPACE: Grouping = by_three('\u{202f}', 1_000);
/// Lakhs and crores: 12,34,567.
pub(super) const INDIAN: Grouping = Grouping { above: 2, ..COMMA };

const fn by_three(mark: char, from: u64) -> Grouping {
    Grouping {
        mark,
        from,
        above: 3,
    }
}

pub(super) fn grouped(number: u64, grouping: &Grouping) -> String {
    let digits = number.to_string();
    if number < grouping.from {
        return digits;
    }
    let begins_group = |left: usize| {
        left.checked_sub(3)
            .is_some_and(|above| above.is_multiple_of(grouping.above))
    };
    let length = digits.len();
    digits
        .char_indices()
        .flat_map(|(index, digit)| {
            let marked = index > 0 && begins_group(length - index);
            marked.then_some(grouping.mark).into_iter().chain([digit])
        })
        .collect()
}
