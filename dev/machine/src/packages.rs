//! What the system's own packages bring: by `apt-get` on Debian and Ubuntu, by Homebrew on macOS.
//!
//! Where `sudo` is needed, a question comes first. What cannot be installed, or may not be, is an error that holds the command to run.

use std::fs;
use std::io::{self, BufRead, IsTerminal as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::place::into_place;
use crate::quiet::run;
use crate::tools::on_path;

/// Packages that are installed together, by their names in either system.
pub(crate) struct Packages {
    pub(crate) apt: &'static [&'static str],
    pub(crate) brew: &'static [&'static str],
}

pub(crate) const REDIS: Packages = Packages {
    apt: &["redis-server"],
    brew: &["redis"],
};
pub(crate) const BROWSER: Packages = Packages {
    apt: &["chromium", "chromium-driver", "fonts-dejavu-core"],
    brew: &["google-chrome", "chromedriver"],
};
pub(crate) const FIREFOX: Packages = Packages {
    apt: &["firefox-esr"],
    brew: &["firefox"],
};
/// Homebrew has no `WebKitGTK`.
pub(crate) const WEBKIT: Packages = Packages {
    apt: &["webkit2gtk-driver", "xvfb"],
    brew: &[],
};
pub(crate) const LUACHECK: Packages = Packages {
    apt: &["lua-check"],
    brew: &["luacheck"],
};
pub(crate) const CODESPELL: Packages = Packages {
    apt: &["codespell"],
    brew: &["codespell"],
};
pub(crate) const NODE: Packages = Packages {
    apt: &["nodejs"],
    brew: &["node"],
};
pub(crate) const NPM: Packages = Packages {
    apt: &["npm"],
    brew: &["node"],
};
pub(crate) const PYTHON: Packages = Packages {
    apt: &["python3"],
    brew: &["python"],
};
pub(crate) const PYTHON_WITH_VENV: Packages = Packages {
    apt: &["python3", "python3-venv"],
    brew: &["python"],
};
pub(crate) const PROMETHEUS: Packages = Packages {
    apt: &["prometheus"],
    brew: &["prometheus"],
};
/// Homebrew's nginx has no njs.
pub(crate) const NGINX: Packages = Packages {
    apt: &["nginx", "libnginx-mod-http-js"],
    brew: &[],
};

/// Whether `--yes` was given.
static IS_AGREED: AtomicBool = AtomicBool::new(false);

/// From now on `sudo` is run without a question.
pub fn agree() {
    IS_AGREED.store(true, Ordering::Relaxed);
}

/// What stands before a command that runs as root.
type Prefix = &'static [&'static str];

/// Has the system install them.
pub(crate) fn install(packages: &Packages, why: &str) -> Result<(), String> {
    let list = packages.apt.join(" ");
    if on_path("apt-get").is_some() {
        let by_hand = format!("Not there: {list}, {why}. Run `sudo apt-get install {list}`.");
        let prefix = prefix(&list, why).ok_or(by_hand)?;
        let install = ["install", "-y", "--no-install-recommends"];
        let arguments = [&install[..], packages.apt].concat();
        apt("Updating the lists of packages", prefix, &["update"])?;
        return apt(&format!("Installing {list}, {why}"), prefix, &arguments);
    }
    if on_path("brew").is_some() && !packages.brew.is_empty() {
        return brew(packages, why);
    }
    Err(format!(
        "Not there: {list}, {why}. These are the names in Debian: install what your system calls them."
    ))
}

fn brew(packages: &Packages, why: &str) -> Result<(), String> {
    let what = format!("Installing {}, {why}", packages.brew.join(" "));
    let mut command = Command::new("brew");
    command.arg("install").args(packages.brew);
    run(&what, command.env("HOMEBREW_NO_AUTO_UPDATE", "1"), None)
}

/// Unpacked rather than installed: these packages would begin to serve on this machine, and need much that is not needed here.
pub(crate) fn unpack(packages: &Packages, what: &str, root: &Path) -> Result<(), String> {
    if on_path("apt-get").is_none() || on_path("dpkg-deb").is_none() {
        return install(packages, what);
    }
    let what = format!("Installing {what}");
    into_place(root, |unfinished| {
        fs::create_dir_all(unfinished)
            .map_err(|error| format!("{}: {error}.", unfinished.display()))?;
        let download = || {
            let words = ["-o", "APT::Sandbox::User=root", "download"];
            let mut command = Command::new("apt-get");
            command.args(words).args(packages.apt);
            run(&what, command.current_dir(unfinished), None)
        };
        // A machine that has never asked does not know the packages.
        if download().is_err() {
            update(&what)?;
            download()?;
        }
        let unpack = r#"for package in ./*.deb; do dpkg-deb -x "$package" . || exit; done"#;
        let mut command = Command::new("sh");
        command.args(["-c", unpack]).current_dir(unfinished);
        run("Unpacking it", &mut command, Some(unfinished))
    })
}

fn update(why: &str) -> Result<(), String> {
    let prefix = prefix("the lists of packages", why)
        .ok_or("The lists of packages are missing or old. Run `sudo apt-get update`.")?;
    apt("Updating the lists of packages", prefix, &["update"])
}

fn apt(what: &str, prefix: &[&str], arguments: &[&str]) -> Result<(), String> {
    let words = [
        prefix,
        &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"],
        arguments,
    ]
    .concat();
    let (program, rest) = words.split_first().ok_or("no command")?;
    run(what, Command::new(program).args(rest), None)
}

/// What to put before a command so that it runs as root, if it may. Root needs no question. Without a terminal, in CI and with
/// `--yes` there is nobody to ask, and `sudo` works or does not.
fn prefix(what: &str, why: &str) -> Option<Prefix> {
    if nix::unistd::Uid::effective().is_root() {
        return Some(&[]);
    }
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    if is_ci || IS_AGREED.load(Ordering::Relaxed) || !is_terminal {
        return sudo();
    }
    let asked = format!("Install {what}, {why}, with `sudo apt-get`? [y/N] ");
    if !is_yes(&asked, &mut io::stdin().lock(), &mut io::stderr()) {
        return None;
    }
    // Asks for the password here, once: later it could not be typed.
    let _ = Command::new("sudo").arg("-v").status();
    sudo()
}

/// `sudo`, where it works without a password, or with one that was just typed.
fn sudo() -> Option<Prefix> {
    let quiet = Command::new("sudo")
        .args(["-n", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let works = quiet.is_ok_and(|status| status.success());
    works.then_some(&["sudo", "-n"])
}

/// Whether the answer to a question is yes. No answer is no.
pub fn is_yes(question: &str, answers: &mut impl BufRead, to: &mut impl io::Write) -> bool {
    let _ = to.write_all(question.as_bytes()).and_then(|()| to.flush());
    let mut answer = String::new();
    let is_read = answers.read_line(&mut answer).is_ok();
    is_read && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    #[test]
    fn only_yes_is_yes() {
        let mut asked = Vec::new();
        for (answer, expected) in [
            ("y\n", true),
            ("Yes\n", true),
            ("\n", false),
            ("", false),
            ("n\n", false),
            ("yesterday\n", false),
        ] {
            let is_yes = is_yes("Install? ", &mut answer.as_bytes(), &mut asked);
            assert_eq!(is_yes, expected, "{answer:?}");
        }
        let asked = String::from_utf8(asked).unwrap();
        assert_eq!(asked, "Install? ".repeat(6));
    }
}
