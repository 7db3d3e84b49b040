//! Bytes as numbers and choices, so that a target can build what no stranger could send.

/// What is left of the bytes; when none are left, every one is 0.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// Small ones as often as large ones: the first byte says how many follow.
    pub(crate) fn number(&mut self) -> u64 {
        let many = self.byte() % 9;
        (0..many).fold(0, |number, _| number << 8 | u64::from(self.byte()))
    }

    /// A number that is less than this one, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let number = usize::try_from(self.number()).unwrap_or(usize::MAX);
        number % end.max(1)
    }

    /// Nothing, or what is made of the bytes that follow.
    pub(crate) fn maybe<T>(&mut self, made: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.byte() % 2 == 1).then(|| made(self))
    }

    /// One of these.
    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(self.below(all.len())).copied()
    }

    /// At most that many letters, digits, `-` and `_`.
    pub(crate) fn name(&mut self, most: usize) -> String {
        const LETTERS: &[u8; 64] =
            b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
        let many = 1 + self.below(most);
        let letter = |byte: u8| {
            LETTERS
                .get(usize::from(byte % 64))
                .map(|byte| char::from(*byte))
        };
        (0..many).filter_map(|_| letter(self.byte())).collect()
    }

    /// At most that many characters, of any kind.
    pub(crate) fn text(&mut self, most: usize) -> String {
        let many = self.below(most + 1);
        let bytes: Vec<u8> = (0..many).map(|_| self.byte()).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// That many digits in hexadecimal.
    pub(crate) fn hex(&mut self, many: usize) -> String {
        let digits = b"0123456789abcdef";
        let digit = |byte: u8| digits.get(usize::from(byte % 16)).copied();
        let digits = (0..many).filter_map(|_| digit(self.byte()));
        digits.map(char::from).collect()
    }
}

/// The text with another byte at one place; `None` where that is the same text, or none at all.
pub(crate) fn altered(text: &str, input: &mut Input<'_>) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let at = input.below(bytes.len());
    let byte = input.byte();
    let place = bytes.get_mut(at).filter(|place| **place != byte)?;
    *place = byte;
    String::from_utf8(bytes).ok()
}
