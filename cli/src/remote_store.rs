//! A store elsewhere by its REST protocol, as Upstash has it: one POST for each command.

use std::cell::RefCell;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::process::Command;

use now_serving::store::upstash::{Attempt, Transport};
use serde_json::{Value, json};

pub use crate::probe::client::Bounds;

use crate::probe::client::Client;
use crate::probe::exchange::{Answer, Ask};
use crate::probe::target::Target;

/// Where the store's token is looked for. A command line is seen by every process of the machine.
pub const TOKEN: &str = "UPSTASH_REDIS_REST_TOKEN";

/// A store elsewhere.
pub struct RemoteStore {
    client: Client,
    token: String,
    /// Why the latest command got no answer.
    fault: RefCell<Option<String>>,
}

impl RemoteStore {
    /// The store at the value of `--store`. Nothing is sent yet.
    ///
    /// # Errors
    /// When that is no URL, or this machine cannot check certificates.
    pub fn new(url: &str, token: String, bounds: Bounds) -> Result<Self, String> {
        let client = Client::new(Target::parse("--store", url)?, bounds)?;
        let fault = RefCell::new(None);
        Ok(Self {
            client,
            token,
            fault,
        })
    }

    /// What a command gives.
    ///
    /// # Errors
    /// When there is no answer, or the store answers with an error.
    pub fn command(&self, words: &[&str]) -> Result<Value, String> {
        self.result(&self.ask(json!(words).to_string()))
    }

    /// The same where something is put back: it is sent also when the run has used up its requests.
    ///
    /// # Errors
    /// The same.
    pub fn put_back(&self, words: &[&str]) -> Result<Value, String> {
        self.result(&self.ask(json!(words).to_string()).owed())
    }

    /// Begins to count the requests and the time of a run anew.
    pub fn begins(&mut self, bounds: Bounds) {
        self.client.begins(bounds);
    }

    /// The requests that were sent since then.
    #[must_use]
    pub fn requests(&self) -> u32 {
        self.client.requests()
    }

    /// Why the latest command got no answer, if it got none.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.fault.take()
    }

    fn ask(&self, body: String) -> Ask {
        Ask {
            method: "POST",
            headers: vec![("authorization", format!("Bearer {}", self.token))],
            body,
            ..Ask::get("/")
        }
    }

    fn result(&self, ask: &Ask) -> Result<Value, String> {
        let answer = self.client.ask(ask)?;
        let said: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        match (
            said.get("result"),
            said.get("error").and_then(Value::as_str),
        ) {
            (Some(result), None) if answer.status == 200 => Ok(result.clone()),
            (_, Some(error)) => Err(format!("The store answered {}: {error}", answer.status)),
            _ => Err(format!(
                "The store answered {}, and nothing that its REST protocol has.",
                answer.status
            )),
        }
    }
}

impl Transport for RemoteStore {
    fn post(&self, body: &str, _: Attempt) -> Option<(u16, Vec<u8>)> {
        match self.client.ask(&self.ask(body.to_owned())) {
            Ok(Answer { status, body, .. }) => Some((status, body.into_bytes())),
            Err(fault) => {
                self.fault.replace(Some(fault));
                None
            }
        }
    }
}

/// The token from the environment.
///
/// # Errors
/// When it is not there.
pub fn token_given() -> Result<String, String> {
    let token = std::env::var(TOKEN).unwrap_or_default();
    if token.is_empty() {
        return Err(format!("Give the store's token in {TOKEN}."));
    }
    Ok(token)
}

/// The token from the environment, else as it is typed on this terminal, which does not show it.
///
/// # Errors
/// When nobody can be asked, or nothing is typed.
pub fn token_given_or_typed() -> Result<String, String> {
    token_given().or_else(|missing| {
        if !io::stdin().is_terminal() {
            return Err(missing);
        }
        anstream::eprint!("The store's token (it is not shown): ");
        let echo = |word| {
            let status = Command::new("stty").arg(word).status();
            status.is_ok_and(|status| status.success())
        };
        let is_hidden = echo("-echo");
        let mut typed = String::new();
        let read = is_hidden.then(|| io::stdin().lock().read_line(&mut typed));
        echo("echo");
        anstream::eprintln!();
        match read {
            Some(Ok(_)) if !typed.trim().is_empty() => Ok(typed.trim().to_owned()),
            _ => Err(missing),
        }
    })
}
