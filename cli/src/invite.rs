//! `now-serving invite`: invitations, signed offline with a key derived from `jwt_secret`. What exists of that secret is read from
//! the environment or standard input.

use std::time::{SystemTime, UNIX_EPOCH};

use cli_core::secret::{entries_of, id};
use now_serving::http::moment::moment;
use now_serving::queue::invitation::{PARAMETER, is_batch};
use now_serving::queue::{Invitation, LaneName, Now, RoomName};
use now_serving::ticket::Keys;
use now_serving::ticket::invitation::sign_invitation;
use url::Url;

use crate::secret::given;

/// How many can be made at once.
const MOST: u64 = 100_000;

/// Options of `now-serving invite`. It reads `jwt_secret` from `JWT_SECRET` or standard input.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// How many invitations, at most 100000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST))]
    pub count: u64,
    /// The name of the batch, by which they can be revoked: 1 to 32 letters, digits, - and _
    #[arg(long, value_name = "NAME", value_parser = batch)]
    pub batch: String,
    /// How many visitors may use each, at most 100000
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(Invitation::USES))]
    pub uses: u64,
    /// When they end, such as 2030-02-01T00:00:00Z; at most ten years ahead
    #[arg(long, value_name = "TIME")]
    pub expires: String,
    /// The priority group in whose lane they open a number; without it they lead straight in
    #[arg(long, value_name = "NAME", value_parser = group)]
    pub group: Option<LaneName>,
    /// The room
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub room: String,
    /// The page that the links lead to; without it only the codes are printed
    #[arg(long, value_name = "URL")]
    pub url: Option<Url>,
}

fn group(name: &str) -> Result<LaneName, String> {
    let accepted = "accepted is the name of a group of the setting priority: a letter, and up to 15 letters, digits, - and _; not main";
    LaneName::read(name).ok_or_else(|| accepted.to_owned())
}

fn batch(name: &str) -> Result<String, String> {
    let accepted = "accepted are 1 to 32 letters, digits, - and _";
    let name = Some(name).filter(|name| is_batch(name));
    name.map(str::to_owned).ok_or_else(|| accepted.to_owned())
}

/// Prints the invitations, one a line.
///
/// # Errors
/// When a value is not accepted, there is no secret, or the system has no randomness.
pub fn invite(options: &Options) -> Result<(), String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = Now::from_secs(now.map_or(0, |now| now.as_secs()));
    let lines = made(options, &given()?, now)?;
    for line in lines {
        anstream::println!("{line}");
    }
    Ok(())
}

fn made(options: &Options, secret: &str, now: Now) -> Result<Vec<String>, String> {
    let ends = end(&options.expires, now)?;
    let link = link(options.url.as_ref())?;
    let secrets = entries_of(secret)?;
    let (newest, others) = secrets.split_first().ok_or("There is no jwt_secret.")?;
    let keys = Keys::new(newest, others.iter().copied());
    let room = room(&options.room)?;
    let one = |_| {
        let invitation = Invitation {
            id: id()?,
            uses: options.uses,
            ends,
            batch: options.batch.clone(),
            group: options.group,
        };
        let code = sign_invitation(&keys, &invitation, &room, now);
        let code = code.ok_or("An invitation could not be signed.")?;
        Ok(format!("{link}{code}"))
    };
    (0..options.count).map(one).collect()
}

/// A whole second of the future.
pub(crate) fn end(text: &str, now: Now) -> Result<u64, String> {
    let second = moment(text).and_then(|ms| Invitation::end_at(ms, now));
    second.ok_or_else(|| format!("--expires is {text:?}; accepted is {}", Invitation::END))
}

pub(crate) fn room(name: &str) -> Result<RoomName, String> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if (1..=64).contains(&name.len()) && name.bytes().all(is_part) {
        Ok(RoomName::new(name))
    } else {
        Err(format!(
            "--room is {name:?}; accepted are 1 to 64 letters, digits, - and _"
        ))
    }
}

/// What stands in front of a code. No server sees what stands behind `#`.
fn link(url: Option<&Url>) -> Result<String, String> {
    let Some(url) = url else {
        return Ok(String::new());
    };
    let is_web = matches!(url.scheme(), "https" | "http") && url.has_host();
    if !is_web || url.fragment().is_some() || !url.username().is_empty() {
        let accepted = "accepted is the address of a page, such as https://shop.example/drop, without # and a user";
        return Err(format!("--url is {url}; {accepted}"));
    }
    Ok(format!("{url}#{PARAMETER}="))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::BTreeSet;

    use super::*;
    use clap::Parser;

    const NEWEST: &str = "a-secret-of-this-test-32-bytes-long";
    const OLDER: &str = "another-secret-of-this-test-32-bytes";
    const NOW: u64 = 1_800_000_000;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: Options,
    }

    fn options(more: &[&str]) -> Result<Options, clap::Error> {
        let least = [
            "invite",
            "--batch",
            "spring",
            "--expires",
            "2027-06-01T00:00:00Z",
        ];
        let cli = Cli::try_parse_from([&least[..], more].concat());
        cli.map(|cli| cli.options)
    }

    fn lines(more: &[&str]) -> Result<Vec<String>, String> {
        let options = options(more).unwrap();
        made(&options, &format!("{NEWEST},{OLDER}"), Now::from_secs(NOW))
    }

    #[test]
    fn each_link_has_an_invitation_of_its_own_that_the_room_takes() {
        let url = "https://shop.example/drop?a=b";
        let lines = lines(&["--count", "20", "--uses", "3", "--url", url]).unwrap();
        let keys = Keys::new(NEWEST, None);
        let (room, now) = (RoomName::new("main"), Now::from_secs(NOW));
        let read = |line: &String| {
            let code = line.strip_prefix("https://shop.example/drop?a=b#invitation=");
            keys.invitation(code.unwrap(), &room, now).unwrap()
        };
        let all: Vec<Invitation> = lines.iter().map(read).collect();
        let ids: BTreeSet<&String> = all.iter().map(|one| &one.id).collect();
        assert_eq!((all.len(), ids.len()), (20, 20));
        let says = |one: &Invitation| {
            (one.uses, one.ends, one.batch.as_str()) == (3, 1_811_808_000, "spring")
        };
        assert!(all.iter().all(says), "{all:?}");
    }

    #[test]
    fn without_an_address_only_the_codes_are_printed() {
        let lines = lines(&["--count", "1", "--room", "vip"]).unwrap();
        let keys = Keys::new(NEWEST, None);
        let read =
            |room| keys.invitation(&lines.concat(), &RoomName::new(room), Now::from_secs(NOW));
        assert!(read("vip").is_ok());
        assert!(read("main").is_err());
    }

    #[test]
    fn what_is_out_of_bounds_is_refused_and_says_what_is_accepted() {
        for (more, told) in [
            (&["--count", "0"][..], "1..=100000"),
            (&["--count", "100001"], "1..=100000"),
            (&["--count", "1", "--uses", "0"], "1..=100000"),
            (&["--count", "1", "--uses", "100001"], "1..=100000"),
        ] {
            let refused = options(more).unwrap_err().to_string();
            assert!(refused.contains(told), "{refused}");
        }
        let unnamed = Cli::try_parse_from([
            "invite",
            "--count",
            "1",
            "--batch",
            "a b",
            "--expires",
            "2027-06-01T00:00:00Z",
        ]);
        let unnamed = unnamed.err().unwrap().to_string();
        assert!(unnamed.contains("1 to 32 letters"), "{unnamed}");
        for (more, told) in [
            (&["--room", "a room"][..], "1 to 64 letters"),
            (&["--url", "ftp://shop.example/"], "the address of a page"),
            (&["--url", "https://shop.example/#a"], "without #"),
        ] {
            let refused = lines(&[&["--count", "1"], more].concat()).unwrap_err();
            assert!(refused.contains(told), "{refused}");
        }
        let now = Now::from_secs(NOW);
        for text in ["tomorrow", "2027-01-15T08:00:00Z", "2037-06-01T00:00:00Z"] {
            let refused = end(text, now).unwrap_err();
            assert!(refused.contains("a time of the future"), "{refused}");
        }
        let short = made(&options(&["--count", "1"]).unwrap(), "short", now);
        assert!(short.unwrap_err().contains("32 bytes"));
    }
}
