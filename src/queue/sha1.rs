//! SHA-1, which chains the journal and names the script: that one while this is compiled, since a sandbox that had to hash it
//! first would spend more on that than on its answer. It keeps no secret.

/// The digest in lower-case hexadecimal digits, which are ASCII.
#[must_use]
pub const fn hex(text: &[u8]) -> [u8; 40] {
    hex_of(sha1(text))
}

/// FIPS 180-4, section 6.1.
#[expect(clippy::indexing_slicing, reason = "a const function has no other way")]
const fn sha1(text: &[u8]) -> [u32; 5] {
    let mut state = [
        0x6745_2301,
        0xefcd_ab89,
        0x98ba_dcfe,
        0x1032_5476,
        0xc3d2_e1f0,
    ];
    let blocks = (text.len() + 8) / 64 + 1;
    let mut block = 0;
    while block < blocks {
        let mut words = [0; 80];
        let mut at = 0;
        while at < 64 {
            let byte = padded(text, block * 64 + at, blocks * 64);
            words[at / 4] = words[at / 4] << 8 | byte as u32;
            at += 1;
        }
        state = mixed(state, words);
        block += 1;
    }
    state
}

/// A byte of the text, of the bit behind it, or of its length in bits at the end.
#[expect(clippy::indexing_slicing, reason = "a const function has no other way")]
const fn padded(text: &[u8], at: usize, end: usize) -> u8 {
    if at < text.len() {
        text[at]
    } else if at == text.len() {
        0x80
    } else if at + 8 < end {
        0
    } else {
        (text.len() as u64 * 8).to_be_bytes()[at + 8 - end]
    }
}

#[expect(clippy::indexing_slicing, reason = "a const function has no other way")]
#[expect(clippy::many_single_char_names, reason = "the names of the standard")]
const fn mixed(state: [u32; 5], mut words: [u32; 80]) -> [u32; 5] {
    let [mut a, mut b, mut c, mut d, mut e] = state;
    let mut at = 0;
    while at < 80 {
        if at >= 16 {
            let word = words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16];
            words[at] = word.rotate_left(1);
        }
        let (f, k) = match at / 20 {
            0 => (b & c | !b & d, 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6_u32),
        };
        let next = a
            .rotate_left(5)
            .wrapping_add(f)
            .wrapping_add(e)
            .wrapping_add(k)
            .wrapping_add(words[at]);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        at += 1;
    }
    [
        state[0].wrapping_add(a),
        state[1].wrapping_add(b),
        state[2].wrapping_add(c),
        state[3].wrapping_add(d),
        state[4].wrapping_add(e),
    ]
}

#[expect(clippy::indexing_slicing, reason = "a const function has no other way")]
const fn hex_of(state: [u32; 5]) -> [u8; 40] {
    let mut digits = [0; 40];
    let mut at = 0;
    while at < 40 {
        let digit = state[at / 8] >> (28 - at % 8 * 4) & 0xf;
        digits[at] = b"0123456789abcdef"[digit as usize];
        at += 1;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use ct_codecs::{Encoder, Hex};

    #[test]
    fn every_length_of_a_block_has_the_digest_that_another_sha_1_says() {
        let text: Vec<u8> = (0..200_u8).collect();
        for length in 0..=text.len() {
            let text = text.get(..length).unwrap_or_default();
            let known = Hex::encode_to_string(hmac_sha1_compact::Hash::hash(text));
            assert_eq!(
                known.ok(),
                String::from_utf8(hex(text).to_vec()).ok(),
                "{length}"
            );
        }
    }
}
