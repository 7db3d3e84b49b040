//! `now-serving migrate`: takes over the line of Fastly's starter kit, whose store becomes ours, and prints the setting that says so.

use std::time::{SystemTime, UNIX_EPOCH};

use cli_core::kit::take_over;
use now_serving::page::iso_8601;
use serde_json::json;

use crate::invite::room;
use crate::remote_store::{Bounds, RemoteStore, token_given};

/// Options of `now-serving migrate`. It reads the store's token from `UPSTASH_REDIS_REST_TOKEN`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The REST address of the kit's store, which becomes the room's
    #[arg(long, value_name = "URL", env = "UPSTASH_REDIS_REST_URL")]
    pub store: String,
    /// How many days the kit's tickets live, at most 30
    #[arg(long, value_name = "DAYS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=30))]
    pub days: u64,
    /// The first room, as the setting `room` names it
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub room: String,
}

/// Takes the line over, and says what to do next.
///
/// # Errors
/// When a value is not accepted, the store does not answer, or there is no line to take over.
pub fn migrate(options: &Options) -> Result<(), String> {
    let room = room(&options.room)?;
    let store = RemoteStore::new(&options.store, token_given()?, Bounds::OF_A_LOOK)?;
    let line = take_over(|words| store.command(words), &room)?;
    let numbers = line.numbers;
    if line.again {
        anstream::eprintln!(
            "This line was taken over before. The sign shows {} now.",
            line.cursor
        );
    } else {
        anstream::eprintln!(
            "The room {room} has the kit's line: numbers up to {numbers}, and the sign shows {}.",
            line.cursor
        );
    }
    if line.later > 0 {
        anstream::eprintln!(
            "{} numbers were drawn in the kit since then: their holders draw again, behind {numbers}.",
            line.later
        );
    }
    anstream::eprintln!(
        "Put this into the document, and the kit's jwt_secret behind your own in jwt_secret:"
    );
    anstream::println!("{}", json!({ "kit": line.setting(&end(options.days)) }));
    Ok(())
}

/// The second that many days from now, as the setting has it.
fn end(days: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let end = now.map_or(0, |now| now.as_secs()) + days * 86_400;
    iso_8601(end * 1000).replace(".000Z", "Z")
}
