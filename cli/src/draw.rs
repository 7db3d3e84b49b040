//! `now-serving draw`: checks an order by lot from what `/_queue/lot` answers, or prints it.

use std::io::{self, Read};

use now_serving::queue::draw::commitment;
use now_serving::queue::{Lane, Position, Seed};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Options of `now-serving draw`. It reads the answer of `/_queue/lot` from standard input.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Say whether commitment, seed and place follow from each other, and print no order
    #[arg(long)]
    pub check: bool,
    /// The commitment that was noted before the start
    #[arg(long, value_name = "DIGEST", requires = "check")]
    pub commitment: Option<String>,
    /// As which one the visitor came; without it the answer's own ticket is checked
    #[arg(long, value_name = "I", requires = "place")]
    pub came: Option<u64>,
    /// The place that the visitor was given
    #[arg(long, value_name = "PLACE", requires = "came")]
    pub place: Option<u64>,
}

/// What `/_queue/lot` says once the order is decided.
#[derive(Debug, Deserialize)]
struct Lot {
    commitment: String,
    /// The lane whose order it is.
    #[serde(deserialize_with = "lane")]
    lane: Lane,
    drawn: u64,
    value: String,
    secret: String,
    seed: String,
    ticket: Option<Ticket>,
}

impl Lot {
    fn seed(&self) -> Seed {
        Seed::new(&self.secret, &self.value, self.lane, self.drawn)
    }
}

fn lane<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Lane, D::Error> {
    let name = String::deserialize(deserializer)?;
    Lane::of_full_name(&name).ok_or_else(|| D::Error::custom("no lane"))
}

/// The place is known once the order is, and not where the visitor came after the start.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Ticket {
    came: u64,
    place: Option<u64>,
}

/// What a visitor noted.
#[derive(Clone, Debug, Default)]
struct Noted {
    commitment: Option<String>,
    place: Option<(u64, u64)>,
}

/// Whether what was to be checked is right.
///
/// # Errors
/// When standard input is not what `/_queue/lot` answers once the order is decided.
pub fn draw(options: &Options) -> Result<bool, String> {
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| format!("Standard input could not be read: {error}."))?;
    let noted = Noted {
        commitment: options.commitment.clone(),
        place: options.came.zip(options.place),
    };
    let lot = read(&text)?;
    if !options.check {
        let seed = lot.seed();
        for came in 1..=lot.drawn {
            anstream::println!("{came} {}", seed.drawn(lot.drawn, Position(came)).0);
        }
        return Ok(true);
    }
    let found = faults(&lot, &noted);
    for fault in &found {
        anstream::println!("{fault}");
    }
    if found.is_empty() {
        anstream::println!("{}", checked(&lot, &noted));
    }
    Ok(found.is_empty())
}

fn read(text: &str) -> Result<Lot, String> {
    serde_json::from_str(text).map_err(|error| {
        format!(
            "Standard input is not what /_queue/lot answers once the order is decided: {error}. \
             Accepted is that JSON object, with commitment, lane, drawn, value, secret and seed."
        )
    })
}

/// What was noted, else what the answer says of its own ticket.
fn place(lot: &Lot, noted: &Noted) -> Option<(u64, u64)> {
    let own = || {
        lot.ticket
            .and_then(|ticket| Some((ticket.came, ticket.place?)))
    };
    noted.place.or_else(own)
}

/// What does not follow from the rest.
fn faults(lot: &Lot, noted: &Noted) -> Vec<String> {
    let seed = lot.seed();
    let committed = commitment(&lot.secret);
    let mut faults = Vec::new();
    if committed != lot.commitment {
        faults.push(format!(
            "The secret is not the one that was committed to: its SHA-256 is {committed}."
        ));
    }
    let noted_before = noted.commitment.as_ref().map(|digest| digest.trim());
    if let Some(before) = noted_before.filter(|before| *before != lot.commitment) {
        faults.push(format!(
            "The commitment is not the one that was noted: it was {before}, and {} is published.",
            lot.commitment
        ));
    }
    if seed.hex() != lot.seed {
        faults.push(format!(
            "The seed does not follow from secret, value and number of tickets: it would be {}.",
            seed.hex()
        ));
    }
    if let Some((came, place)) = place(lot, noted) {
        let right = seed.drawn(lot.drawn, Position(came)).0;
        if right != place {
            faults.push(format!(
                "The {came}. of {} has place {right}, not {place}.",
                lot.drawn
            ));
        }
    }
    faults
}

fn checked(lot: &Lot, noted: &Noted) -> String {
    let drawn = lot.drawn;
    match place(lot, noted) {
        Some((came, place)) => {
            format!(
                "Right: the {came}. of {drawn} has place {place}, as the secret and the value decide."
            )
        }
        None => format!("Right: the order of {drawn} follows from the secret and the value."),
    }
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test may stop at the first surprise"
    )]

    use super::*;
    use machine::tools::python;
    use serde_json::json;
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    const SECRET: &str = "b92d8744fe2cf7d4700b7ec60b83236d485dd6ad319fd2af96e1f6394b133871";

    fn lot(drawn: u64) -> serde_json::Value {
        lot_of(Lane::Main, drawn)
    }

    fn lot_of(lane: Lane, drawn: u64) -> serde_json::Value {
        let value = "beacon 4711";
        json!({
            "event": "sale", "commitment": commitment(SECRET), "lane": lane.full_name(), "drawn": drawn, "value": value,
            "secret": SECRET, "seed": Seed::new(SECRET, value, lane, drawn).hex(),
        })
    }

    fn place(drawn: u64, came: u64) -> u64 {
        place_in(Lane::Main, drawn, came)
    }

    fn place_in(lane: Lane, drawn: u64, came: u64) -> u64 {
        let seed = Seed::new(SECRET, "beacon 4711", lane, drawn);
        seed.drawn(drawn, Position(came)).0
    }

    #[test]
    fn a_place_is_refused_after_one_bit_of_anything_is_changed() {
        let ticket = json!({ "came": 17, "place": place(1_000, 17) });
        let mut right = lot(1_000);
        right["ticket"] = ticket;
        let faults_of =
            |told: &serde_json::Value| faults(&read(&told.to_string()).unwrap(), &Noted::default());
        assert_eq!(faults_of(&right), Vec::<String>::new());
        for (member, changed) in [
            ("secret", json!(SECRET.replacen('9', "8", 1))),
            ("value", json!("beacon 4710")),
            ("drawn", json!(1_001)),
            ("lane", json!("west")),
            ("commitment", json!(commitment("8"))),
            ("seed", json!("0".repeat(64))),
            ("ticket", json!({ "came": 16, "place": place(1_000, 17) })),
            (
                "ticket",
                json!({ "came": 17, "place": place(1_000, 17) ^ 1 }),
            ),
        ] {
            let mut wrong = right.clone();
            wrong[member] = changed;
            assert!(!faults_of(&wrong).is_empty(), "{wrong}");
        }
        let noted = Noted {
            commitment: Some(commitment(SECRET)),
            place: Some((17, 1)),
        };
        let told = faults(&read(&right.to_string()).unwrap(), &noted);
        assert_eq!(told.len(), 1, "what the command line says counts: {told:?}");
    }

    /// An operator who publishes another secret publishes the commitment that fits it.
    #[test]
    fn a_commitment_that_was_noted_is_the_one_that_counts() {
        let published = read(&lot(1_000).to_string()).unwrap();
        for (noted, many) in [(commitment(SECRET), 0), (commitment("another"), 1)] {
            let noted = Noted {
                commitment: Some(noted),
                place: None,
            };
            let told = faults(&published, &noted);
            assert_eq!(told.len(), many, "{told:?}");
        }
    }

    #[test]
    fn a_visitor_who_came_after_the_start_has_no_place_to_check() {
        let mut told = lot(1_000);
        told["ticket"] = json!({ "came": 1_001, "place": null });
        let told = read(&told.to_string()).unwrap();
        assert_eq!(faults(&told, &Noted::default()), Vec::<String>::new());
        assert!(checked(&told, &Noted::default()).contains("the order of 1000 follows"));
    }

    #[test]
    fn what_is_no_decided_order_is_refused_with_what_is_accepted() {
        for text in [
            "",
            "[]",
            r#"{"event":null}"#,
            r#"{"secret":null,"drawn":3}"#,
        ] {
            let told = read(text).unwrap_err();
            assert!(told.contains("once the order is decided") && told.contains("Accepted is"));
        }
    }

    /// The program in the docs has nothing of ours.
    #[test]
    fn the_program_of_the_docs_computes_the_same_places() {
        let told = include_str!("../../docs/deep/lot.md");
        let program = told.split_once("```python\n").unwrap().1;
        let program = program.split_once("```").unwrap().0;
        let west = Lane::read("west").unwrap();
        for (lane, drawn, came) in [
            (Lane::Main, 1, 1),
            (Lane::Main, 2, 2),
            (Lane::Main, 10, 3),
            (Lane::Main, 64, 64),
            (Lane::Main, 65, 1),
            (Lane::Main, 1_000, 17),
            (Lane::Main, 40_000, 12_345),
            (Lane::read("front").unwrap(), 10, 3),
            (west, 1_000, 17),
        ] {
            let mut python = Command::new(python().unwrap())
                .args(["-c", program, &came.to_string()])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut to = python.stdin.take().unwrap();
            let told = lot_of(lane, drawn).to_string();
            to.write_all(told.as_bytes()).unwrap();
            drop(to);
            let out = python.wait_with_output().unwrap();
            assert!(out.status.success());
            let printed = String::from_utf8(out.stdout).unwrap();
            assert_eq!(
                printed.trim(),
                place_in(lane, drawn, came).to_string(),
                "{came} of {drawn} in {lane:?}"
            );
        }
    }
}
