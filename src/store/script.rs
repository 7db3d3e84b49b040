//! The script, put together from its files when this is compiled: full-line comments, indentation and blank lines stay
//! in the files, and so out of the Wasm and of what is sent to the store.
//!
//! Redis runs all of it anew at each call, so what few calls need is made by the first use of it: a part of some files, which ends
//! with what it gives to the others. What a verb does is the body of its own branch.

use crate::queue::sha1;

macro_rules! file {
    ($name:literal) => {
        concat!(include_str!(concat!("lua/", $name, ".lua")), "\n")
    };
}

/// A part that few calls need: what these files make, by its name.
macro_rules! part {
    ($name:literal $($file:literal)*) => {
        concat!("parts.", $name, " = function()\n", $(file!($file),)* "end\n")
    };
}

/// What each verb does: the end of a call.
macro_rules! verbs {
    ($($name:literal)*) => {
        concat!($("if arg.verb == '", $name, "' then\n", include_str!(concat!("lua/verbs/", $name, ".lua")), "end\n"),*)
    };
}

/// Lua walks through all names that are open when it makes a function, so the second half of them is another function's.
const FILES: &str = concat!(
    file!("state"),
    file!("event"),
    file!("health"),
    part!("window" "window"),
    part!("heard" "heard"),
    file!("absent"),
    part!("turnout" "turnout"),
    "return (function()\n",
    file!("birth"),
    file!("front"),
    part!("regions" "regions"),
    file!("known"),
    file!("cap"),
    file!("turns"),
    part!("sessions" "sessions" "ended" "claim"),
    file!("journal"),
    file!("rate"),
    part!("lanes" "lanes"),
    part!("lot" "lot"),
    part!("restore" "settings" "pieces" "restore"),
    file!("sign"),
    file!("ticket"),
    file!("pace"),
    file!("release"),
    file!("draw"),
    part!("network" "network"),
    part!("invite" "invite"),
    file!("history"),
    part!("counts" "counts"),
    file!("answer"),
    part!("figures" "figures"),
    verbs!("join" "look" "change" "status" "board" "metrics" "journal" "trace"),
    "end)()\n",
);
const LENGTH: usize = shortened(FILES.as_bytes(), &mut [0; FILES.len()]);
static BYTES: [u8; LENGTH] = {
    let mut space = [0; FILES.len()];
    shortened(FILES.as_bytes(), &mut space);
    let mut bytes = [0; LENGTH];
    let (kept, _) = space.split_at(LENGTH);
    bytes.copy_from_slice(kept);
    bytes
};

/// What the store is sent.
pub(super) const TEXT: &str = match std::str::from_utf8(&BYTES) {
    Ok(text) => text,
    Err(_) => "",
};

/// The digest under which the store remembers it.
pub(super) const DIGEST: &str = match std::str::from_utf8(&DIGITS) {
    Ok(digits) => digits,
    Err(_) => "",
};
#[expect(long_running_const_eval, reason = "it ends with the script")]
static DIGITS: [u8; 40] = sha1::hex(&BYTES);

/// Writes the lines that are no comments, without their indentation; how many bytes that are.
#[expect(clippy::indexing_slicing, reason = "evaluated when this is compiled")]
const fn shortened(text: &[u8], space: &mut [u8]) -> usize {
    let (mut read, mut written) = (0, 0);
    while read < text.len() {
        while read < text.len() && matches!(text[read], b' ' | b'\n') {
            read += 1;
        }
        let is_comment = read + 1 < text.len() && text[read] == b'-' && text[read + 1] == b'-';
        while read < text.len() {
            let byte = text[read];
            if !is_comment {
                space[written] = byte;
                written += 1;
            }
            read += 1;
            if byte == b'\n' {
                break;
            }
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_its_files_without_comments_and_indentation() {
        let lines = FILES.lines().map(str::trim_start);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("--"));
        let expected: String = lines.flat_map(|line| [line, "\n"]).collect();
        assert_eq!(TEXT, expected);
        assert!(
            TEXT.len() * 5 < FILES.len() * 4,
            "{} of {}",
            TEXT.len(),
            FILES.len()
        );
    }
}
