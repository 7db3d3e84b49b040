//! The parts of a compiled page, read one by one as `build/parts.rs` wrote them.

/// Parts, one behind the other.
#[derive(Clone, Debug)]
pub(in crate::page) struct Parts(pub(in crate::page) &'static str);

/// A part of a page.
#[derive(Debug)]
pub(in crate::page) enum Part {
    /// As it stands.
    Text(&'static str),
    /// `{{text.NAME}}`.
    Word(&'static str),
    /// `{{brand.NAME}}`.
    Brand(&'static str),
    /// `{{NAME}}`.
    Value(&'static str),
    /// `{{#if NAME}}…{{/if}}`.
    If(&'static str, Parts),
    /// `{{#each NAME}}…{{/each}}`.
    Each(&'static str, Parts),
}

impl Parts {
    /// The text that comes next, by the length before it.
    fn measured(&mut self) -> Option<&'static str> {
        let (length, rest) = self.0.split_at_checked(3)?;
        let six = |letter: u8| usize::from(letter.wrapping_sub(b' '));
        let length = length
            .bytes()
            .fold(0, |sum, letter| (sum << 6) | six(letter));
        let (text, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }
}

impl Iterator for Parts {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        let (kind, rest) = self.0.split_at_checked(1)?;
        self.0 = rest;
        let text = self.measured()?;
        Some(match kind {
            "t" => Part::Text(text),
            "w" => Part::Word(text),
            "b" => Part::Brand(text),
            "v" => Part::Value(text),
            "i" => Part::If(text, Self(self.measured()?)),
            _ => Part::Each(text, Self(self.measured()?)),
        })
    }
}
