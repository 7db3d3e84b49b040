//! The script, put together from its files when this is compiled: full-line comments, indentation and blank lines stay
//! in the files, and so out of the Wasm and of what is sent to the store.
//!
//! Each file is a module, which uses another one by `require` and ends with what it gives. Redis runs all of the script anew at each
//! call, and making a function takes time. So a module is the body of a branch, which runs at the first use in a call, and a verb is
//! the body of another one, which runs when it is called.

use crate::queue::sha1;

/// The branches of a function: what each of these files gives, by the name in this variable.
macro_rules! branches {
    ($variable:literal, $folder:literal, $first:literal $($name:literal)*) => {
        concat!(
            branches!(if "if", $variable, $folder, $first),
            $(branches!(if "elseif", $variable, $folder, $name),)*
            "end\n"
        )
    };
    (if $if:literal, $variable:literal, $folder:literal, $name:literal) => {
        concat!(
            $if, " ", $variable, " == '", $name, "' then\n",
            include_str!(concat!("lua/", $folder, $name, ".lua"))
        )
    };
}

/// The names `modules`, `make`, `module`, `run` and `verb` are the script's own.
const FILES: &str = concat!(
    "local modules, make = {}\n",
    "local function require(module)\n",
    "local made = modules[module]\n",
    "if not made then\n",
    "made = make(module)\n",
    "modules[module] = made\n",
    "end\n",
    "return made\n",
    "end\n",
    // Those that a draw uses come first: a name is compared with one after the other.
    "function make(module)\n",
    branches!("module", "",
        "call" "record" "live" "events" "health" "mode" "lanes" "birth" "cap" "bound" "absent" "journal" "rate" "opening"
        "sign" "answer" "save" "release" "draw" "memory" "pace"
        "counts" "ticket" "turns" "sessions" "claim" "ended" "regions" "shares" "lane_draw" "invite" "network"
        "window" "heard" "turnout" "figures" "lot" "gaps" "settings" "pieces" "restore"
    ),
    "end\n",
    "local function run(verb)\n",
    branches!("verb", "verbs/", "join" "look" "change" "status" "board" "metrics" "journal" "trace"),
    "end\n",
    "require('opening')()\n",
    "return run(require('call').arg.verb)()\n",
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
