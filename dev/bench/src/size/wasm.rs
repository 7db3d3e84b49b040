//! As much of a Wasm's format as its sizes need: the lengths of its sections and functions, and the names.

use std::collections::BTreeMap;

/// The lengths of what is in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wasm {
    /// Each function of its own: its name, and the bytes of its body.
    pub(super) functions: Vec<(String, usize)>,
    pub(super) code: usize,
    pub(super) data: usize,
    /// Types, imports, tables; no custom section.
    pub(super) other: usize,
}

/// The numbers of the sections that are looked into.
const CUSTOM: u8 = 0;
const IMPORT: u8 = 2;
const CODE: u8 = 10;
const DATA: u8 = 11;
/// The part of the names that is about functions.
const FUNCTION_NAMES: u8 = 1;

impl Wasm {
    /// Nothing where it is no Wasm, or has no names.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = Reader(bytes.strip_prefix(b"\0asm\x01\0\0\0")?);
        let (mut wasm, mut imported, mut bodies) = (Self::default(), 0, Vec::new());
        let mut names = BTreeMap::new();
        while !rest.0.is_empty() {
            let (id, section) = (rest.byte()?, rest.block()?);
            match id {
                CUSTOM => {
                    let mut section = Reader(section);
                    if section.block()? == b"name" {
                        names = function_names(section)?;
                    }
                }
                CODE => {
                    bodies = sizes(Reader(section))?;
                    wasm.code = section.len();
                }
                DATA => wasm.data = section.len(),
                id => {
                    if id == IMPORT {
                        imported = imported_functions(Reader(section))?;
                    }
                    wasm.other += section.len();
                }
            }
        }
        let with_name = |(place, bytes): (usize, usize)| {
            let name = names.get(&(imported + place)).cloned();
            (name.unwrap_or_default(), bytes)
        };
        wasm.functions = bodies.into_iter().enumerate().map(with_name).collect();
        (!names.is_empty()).then_some(wasm)
    }
}

fn sizes(mut section: Reader<'_>) -> Option<Vec<usize>> {
    let many = section.number()?;
    (0..many).map(|_| Some(section.block()?.len())).collect()
}

fn imported_functions(mut section: Reader<'_>) -> Option<usize> {
    let mut functions = 0;
    for _ in 0..section.number()? {
        section.block()?;
        section.block()?;
        match section.byte()? {
            0 => {
                section.number()?;
                functions += 1;
            }
            // A table or a memory: its type, its least and perhaps its most.
            kind @ (1 | 2) => {
                if kind == 1 {
                    section.byte()?;
                }
                let has_most = section.byte()? & 1 == 1;
                section.number()?;
                if has_most {
                    section.number()?;
                }
            }
            _ => {
                section.byte()?;
                section.byte()?;
            }
        }
    }
    Some(functions)
}

fn function_names(mut section: Reader<'_>) -> Option<BTreeMap<usize, String>> {
    let mut names = BTreeMap::new();
    while !section.0.is_empty() {
        let (part, content) = (section.byte()?, section.block()?);
        if part == FUNCTION_NAMES {
            let mut content = Reader(content);
            for _ in 0..content.number()? {
                let function = content.number()?;
                let name = String::from_utf8_lossy(content.block()?).into_owned();
                names.insert(function, name);
            }
        }
    }
    Some(names)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// In groups of seven bits, the lowest first.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A length, and as many bytes.
    fn block(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        let (block, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two functions behind an imported one: `a::b` of three bytes, and one without a name of four.
    const SMALL: &[u8] = b"\0asm\x01\0\0\0\
        \x01\x04\x01\x60\0\0\
        \x02\x07\x01\x01e\x01f\0\0\
        \x0a\x0a\x02\x03\0\x01\x0b\x04\0\x01\x01\x0b\
        \0\x0e\x04name\x01\x07\x01\x01\x04a::b";

    #[test]
    fn functions_have_their_names_and_lengths() {
        let wasm = Wasm::read(SMALL).unwrap_or_default();
        let functions = [("a::b".to_owned(), 3), (String::new(), 4)];
        assert_eq!(wasm.functions, functions);
        assert_eq!((wasm.code, wasm.data, wasm.other), (10, 0, 11));
    }

    #[test]
    fn what_is_cut_off_is_no_wasm() {
        for end in 0..SMALL.len() - 16 {
            assert_eq!(
                Wasm::read(SMALL.get(..end).unwrap_or_default()),
                None,
                "{end}"
            );
        }
    }
}
