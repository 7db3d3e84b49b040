//! What the origin may command with an answer, on the paths of `command_paths`.

/// Each header that commands something, and what it says where it ends the visitor's session. The second is Cloudflare's, for an
/// origin that moves here.
pub const COMMANDS: [(&str, &str); 2] = [
    ("queue-command", "end-session"),
    ("cf-waiting-room-command", "revoke"),
];

/// Whether the value of a header is this command.
#[must_use]
pub fn commands(value: &[u8], command: &str) -> bool {
    value.trim_ascii().eq_ignore_ascii_case(command.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_in_any_case_and_nothing_else_is_one() {
        for value in ["end-session", " End-Session ", "END-SESSION"] {
            assert!(commands(value.as_bytes(), "end-session"), "{value}");
        }
        for value in ["", "end", "end-session, end-session", "end session"] {
            assert!(!commands(value.as_bytes(), "end-session"), "{value}");
        }
    }
}
