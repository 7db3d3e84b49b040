//! `now-serving allow`: an allowance, signed offline with a key derived from `jwt_secret`. What exists of that secret is read from
//! the environment or standard input.

use std::time::{SystemTime, UNIX_EPOCH};

use cli_core::secret::entries_of;
use now_serving::queue::Now;
use now_serving::queue::invitation::is_batch;
use now_serving::ticket::Keys;
use now_serving::ticket::allowance::sign_allowance;

use crate::invite::{end, room};
use crate::secret::given;

/// Options of `now-serving allow`. It reads `jwt_secret` from `JWT_SECRET` or standard input.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Its name in the log: 1 to 32 letters, digits, - and _
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub name: String,
    /// When it ends, such as 2030-02-01T00:00:00Z; at most ten years ahead
    #[arg(long, value_name = "TIME")]
    pub expires: String,
    /// The room
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub room: String,
}

fn name(name: &str) -> Result<String, String> {
    let accepted = "accepted are 1 to 32 letters, digits, - and _";
    let name = Some(name).filter(|name| is_batch(name));
    name.map(str::to_owned).ok_or_else(|| accepted.to_owned())
}

/// Prints the value of the header `Queue-Allow`.
///
/// # Errors
/// When a value is not accepted, or there is no secret.
pub fn allow(options: &Options) -> Result<(), String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = Now::from_secs(now.map_or(0, |now| now.as_secs()));
    anstream::println!("{}", made(options, &given()?, now)?);
    Ok(())
}

fn made(options: &Options, secret: &str, now: Now) -> Result<String, String> {
    let ends = end(&options.expires, now)?;
    let secrets = entries_of(secret)?;
    let (newest, others) = secrets.split_first().ok_or("There is no jwt_secret.")?;
    let keys = Keys::new(newest, others.iter().copied());
    let room = room(&options.room)?;
    let token = sign_allowance(&keys, &options.name, ends, &room, now);
    token.ok_or_else(|| "The allowance could not be signed.".to_owned())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use clap::Parser;
    use now_serving::queue::RoomName;

    const SECRET: &str = "a-secret-of-this-test-32-bytes-long";
    const NOW: u64 = 1_800_000_000;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: Options,
    }

    fn options(name: &str, more: &[&str]) -> Result<Options, clap::Error> {
        let least = ["allow", "--expires", "2027-06-01T00:00:00Z", "--name", name];
        let cli = Cli::try_parse_from([&least[..], more].concat());
        cli.map(|cli| cli.options)
    }

    #[test]
    fn an_allowance_has_the_name_the_room_and_the_end_that_it_was_made_with() {
        let now = Now::from_secs(NOW);
        let options = options("uptime", &["--room", "vip"]).unwrap();
        let token = made(&options, SECRET, now).unwrap();
        let keys = Keys::new(SECRET, None);
        let read = |room: &str, now| keys.allowance(&token, &RoomName::new(room), now);
        assert_eq!(read("vip", now), Ok("uptime".to_owned()));
        assert!(read("main", now).is_err());
        assert!(read("vip", Now::from_secs(1_811_808_000)).is_err());
    }

    #[test]
    fn what_is_out_of_bounds_is_refused_and_says_what_is_accepted() {
        let refused = options("a name", &[]).unwrap_err().to_string();
        assert!(refused.contains("1 to 32 letters"), "{refused}");
        let made = |more: &[&str], secret| {
            made(&options("a", more).unwrap(), secret, Now::from_secs(NOW)).unwrap_err()
        };
        assert!(made(&["--room", "a room"], SECRET).contains("1 to 64 letters"));
        assert!(made(&[], "short").contains("32 bytes"));
    }
}
