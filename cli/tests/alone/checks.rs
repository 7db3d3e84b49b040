//! What the program does on a machine that has nothing else: an empty folder, an empty `PATH`, no variables. The suite asks it of
//! the usual build, and `dev/cli/tests/commands/release.rs` of the program of a release.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Signs the invitations.
const SECRET: &str = "development-only-jwt-secret-0123456789abcdef";

/// The first two lines of a real journal, as the log has them.
const JOURNAL: &str = concat!(
    r#"{"schema":1,"head":"2a4678d7412681b2e605b4ce54f0522ec37457e1","noted":["0000000000000000000000000000000000000000 1 1800000000476 begin 0 0 0 - 0 -1 0 0 5:3 - - -","#,
    r#""79b25d050e5f3abb96eabfc23d52558eb12fab39 2 1800000000476 straight 0 1 1 - 0 1800000000 2 0 5:3 waiting - -"],"reason":"noted","room":"main","timestamp":1800000000476}"#,
);

/// The program in an empty folder.
pub(crate) struct Alone<'a> {
    program: &'a Path,
    folder: tempfile::TempDir,
}

impl<'a> Alone<'a> {
    pub(crate) fn with(program: &'a Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { program, folder }
    }

    /// The exit code, and what it says: answers, then complaints.
    pub(crate) fn run(&self, words: &[&str], input: &str) -> (Option<i32>, String, String) {
        let mut child = Command::new(self.program)
            .args(words)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", "")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that reads nothing may have ended before.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// What it says where it succeeds.
    fn says(&self, words: &[&str], input: &str) -> String {
        let (code, said, complained) = self.run(words, input);
        assert_eq!(code, Some(0), "{words:?}: {said}{complained}");
        assert_eq!(complained, "", "{words:?}");
        said
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }
}

/// Asks the program for all that a guide has an operator do without a network.
pub(crate) fn does_the_work_of_operators(program: &Path) {
    let alone = Alone::with(program);
    let version = alone.says(&["--version"], "");
    assert_eq!(
        version,
        concat!("now-serving ", env!("CARGO_PKG_VERSION"), "\n")
    );
    makes_secrets_and_invitations(&alone);
    checks_documents(&alone);
    plans_and_rehearses(&alone);
    audits_journals(&alone);
}

fn makes_secrets_and_invitations(alone: &Alone) {
    let [one, other] = [(); 2].map(|()| alone.says(&["secret", "permit_token"], ""));
    assert!(one.len() == other.len() && one.len() > 40 && one != other);
    let keys = alone.says(&["secret", "pass"], SECRET);
    assert_eq!(keys.lines().count(), 1);
    let words = [
        "invite",
        "--count",
        "3",
        "--batch",
        "press",
        "--expires",
        "2030-02-01T00:00:00Z",
        "--url",
        "https://shop.example/drop",
    ];
    let links = alone.says(&words, SECRET);
    let is_link = |line: &str| line.starts_with("https://shop.example/drop#invitation=");
    assert_eq!(links.lines().filter(|line| is_link(line)).count(), 3);
    let (code, said, complained) = alone.run(&words, "short");
    assert_eq!((code, said.as_str()), (Some(1), ""));
    assert!(complained.contains("at least 32 bytes"), "{complained}");
}

fn checks_documents(alone: &Alone) {
    alone.write("sound.json", r#"{"automatic":30,"automatic_quantity":500}"#);
    let said = alone.says(&["check", "sound.json"], "");
    assert!(said.starts_with("sound.json is sound: "), "{said}");
    let conditions = r#"{"bypass_when":[{"header":["X-App","ios"]},{"country":["DE"]}]}"#;
    alone.write("conditions.json", conditions);
    let words = ["check", "conditions.json", "--request"];
    let request = "GET https://shop.example/tickets/1";
    let said = alone.says(&[&words[..], &[request, "-H", "x-app: ios"]].concat(), "");
    for line in [
        "\n  any client can send what bypass_when[0] asks for, and goes past every room then: header x-app\n",
        "\nGET https://shop.example/tickets/1:\n  room: main\n  lane: none\n  bypass: yes\n  rule: bypass_when[0]\n",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert!(!said.contains("bypass_when[1]"), "{said}");
    let said = alone.says(&[&words[..], &[request, "--country", "DE"]].concat(), "");
    assert!(said.contains("rule: bypass_when[1]"), "{said}");
    let said = alone.says(&[&words[..], &[request, "-H", "x-app: web"]].concat(), "");
    assert!(
        said.contains("bypass: no\n  rule: protected_paths"),
        "{said}"
    );
    let (code, said, complained) = alone.run(&[&words[..], &["/tickets/1"]].concat(), "");
    assert_eq!((code, said.as_str()), (Some(1), ""));
    assert!(complained.contains("a method and a URL"), "{complained}");
    alone.write("wrong.json", r#"{"automatic":"often"}"#);
    let (code, said, _) = alone.run(&["check", "wrong.json"], "");
    assert_eq!(code, Some(1));
    assert!(
        said.contains("wrong.json is not sound:") && said.contains("1 to fix."),
        "{said}"
    );
    // A text that names a command names the program that its reader has.
    let (code, said, _) = alone.run(&["check", "-"], r#"{"kit":"soon"}"#);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("now-serving migrate") && !said.contains("cargo dev"),
        "{said}"
    );
}

fn plans_and_rehearses(alone: &Alone) {
    let plan = alone.says(
        &[
            "plan",
            "--visitors",
            "20000",
            "--over",
            "10m",
            "--pace",
            "500/min",
        ],
        "",
    );
    assert!(plan.lines().count() > 5, "{plan}");
    let scenarios = alone.says(&["simulate", "--list"], "");
    assert!(scenarios.contains("sale "), "{scenarios}");
}

fn audits_journals(alone: &Alone) {
    alone.write("journal.json", JOURNAL);
    let said = alone.says(&["audit", "journal.json"], "");
    assert_eq!(said, "2 lines hang together.\n");
    // One visitor more than the journal had.
    alone.write("altered.json", &JOURNAL.replace("0 1 1 -", "0 2 2 -"));
    let (code, said, _) = alone.run(&["audit", "altered.json"], "");
    assert_eq!(code, Some(1));
    assert!(said.contains("so they prove nothing"), "{said}");
}
