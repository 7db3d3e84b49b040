//! Load on one edge: a number of keep-alive connections, each sending the next request when it has the
//! answer to the last. Every answer is looked at: a wrong one would make the rest mean nothing.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{COOKIE, HOST, HeaderValue};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::timeout;

use crate::newcomers::Newcomers;
use crate::scenario::Ask;

/// No answer takes this long unless none comes.
const PATIENCE: Duration = Duration::from_secs(10);

type Sender = SendRequest<Empty<Bytes>>;

/// Visitors with open connections to one edge.
pub(crate) struct Crowd {
    ask: Ask,
    addr: SocketAddr,
    host: String,
    idle: Vec<Sender>,
}

/// An answer as a probe sees it.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) cookies: Vec<String>,
    pub(crate) body: Bytes,
}

/// What one connection brought back from a slice.
struct Turn {
    sender: Sender,
    answers: Vec<u32>,
    wrong: Vec<String>,
}

/// What became of requests that were sent when they were due.
#[derive(Debug, Default)]
pub(crate) struct Paced {
    /// How long each took from when it was due, in microseconds; those that failed too.
    pub(crate) answers: Vec<u32>,
    /// Answers that came and are not what the scenario measures: the product could not see the line.
    pub(crate) unseen: usize,
    /// No answer came in time, or the connection failed.
    pub(crate) failed: usize,
    pub(crate) time: Duration,
}

/// What one connection needs for its part of them.
struct PacedTurn {
    ask: Ask,
    addr: SocketAddr,
    request: Request<Empty<Bytes>>,
    begin: Instant,
    /// When the next request of all is due.
    next: Rc<Cell<Duration>>,
}

impl PacedTurn {
    async fn take(self, mut sender: Sender, gap: Duration, time: Duration) -> (Sender, Paced) {
        let mut found = Paced::default();
        loop {
            let due = self.next.get();
            if due >= time {
                return (sender, found);
            }
            self.next.set(due + gap);
            let due = self.begin + due;
            tokio::time::sleep_until(due.into()).await;
            // A visitor whose poll could not even be sent for so long has given up.
            let has_failed = if due.elapsed() > PATIENCE {
                true
            } else if let Ok(answer) = send(&mut sender, self.ask.next(&self.request)).await {
                found.unseen += usize::from(check(&answer, &self.ask).is_err());
                false
            } else {
                if let Ok(new) = connect(self.addr).await {
                    sender = new;
                }
                true
            };
            found.failed += usize::from(has_failed);
            found.answers.push(micros(due.elapsed()));
        }
    }
}

impl Crowd {
    pub(crate) async fn connect(addr: SocketAddr, ask: Ask, many: usize) -> Result<Self, String> {
        let mut idle = Vec::new();
        for _ in 0..many {
            idle.push(connect(addr).await?);
        }
        let host = addr.to_string();
        Ok(Self {
            ask,
            addr,
            host,
            idle,
        })
    }

    /// Sends requests for so long and waits for the last answers. How long each answer took, in
    /// microseconds, and how long all took together.
    ///
    /// # Errors
    /// When an answer is wrong or does not come.
    pub(crate) async fn slice(&mut self, time: Duration) -> Result<(Vec<u32>, Duration), String> {
        let begin = Instant::now();
        let mut turns = JoinSet::new();
        for sender in self.idle.drain(..) {
            let request = request(&self.ask, &self.host)?;
            turns.spawn(take_turn(sender, request, self.ask.clone(), begin + time));
        }
        let mut answers = Vec::new();
        let mut wrong = Vec::new();
        while let Some(turn) = turns.join_next().await {
            let turn = turn.map_err(|_| "A connection of the bench was interrupted.")?;
            answers.extend(turn.answers);
            wrong.extend(turn.wrong);
            self.idle.push(turn.sender);
        }
        match wrong.first() {
            None => Ok((answers, begin.elapsed())),
            Some(first) => Err(format!(
                "{} of {} answers to GET {} were not what this scenario measures: {first}",
                wrong.len(),
                wrong.len() + answers.len(),
                self.ask.target
            )),
        }
    }

    /// Sends a request every so often for so long, on the next idle connection. There are enough of them that a
    /// request waits for one only where the server is far behind.
    ///
    /// # Errors
    /// When the bench itself is interrupted.
    pub(crate) async fn paced(&mut self, gap: Duration, time: Duration) -> Result<Paced, String> {
        let (begin, next) = (Instant::now(), Rc::new(Cell::new(Duration::ZERO)));
        let mut turns = JoinSet::new();
        let tasks = LocalSet::new();
        for sender in self.idle.drain(..) {
            let request = request(&self.ask, &self.host)?;
            let turn = PacedTurn {
                ask: self.ask.clone(),
                addr: self.addr,
                request,
                begin,
                next: Rc::clone(&next),
            };
            turns.spawn_local_on(turn.take(sender, gap, time), &tasks);
        }
        let mut paced = Paced::default();
        tasks
            .run_until(async {
                while let Some(turn) = turns.join_next().await {
                    let (sender, found) =
                        turn.map_err(|_| "A connection of the bench was interrupted.")?;
                    self.idle.push(sender);
                    paced.answers.extend(found.answers);
                    paced.unseen += found.unseen;
                    paced.failed += found.failed;
                }
                Ok::<_, String>(())
            })
            .await?;
        paced.time = begin.elapsed();
        Ok(paced)
    }

    /// One request on the first connection, and how long its answer took.
    pub(crate) async fn probe(&mut self) -> Result<(Answer, Duration), String> {
        let request = self.ask.next(&request(&self.ask, &self.host)?);
        let sender = self.idle.first_mut().ok_or("There is no connection.")?;
        let begin = Instant::now();
        let answer = send(sender, request).await?;
        let time = begin.elapsed();
        check(&answer, &self.ask)?;
        Ok((answer, time))
    }
}

/// One request on a connection of its own, whatever the answer.
pub(crate) async fn once(
    addr: SocketAddr,
    request: Request<Empty<Bytes>>,
) -> Result<Answer, String> {
    send(&mut connect(addr).await?, request).await
}

async fn connect(addr: SocketAddr) -> Result<Sender, String> {
    let cannot = |error: &dyn std::fmt::Display| format!("No connection to {addr}: {error}.");
    let stream = TcpStream::connect(addr)
        .await
        .map_err(|error| cannot(&error))?;
    stream.set_nodelay(true).map_err(|error| cannot(&error))?;
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(|error| cannot(&error))?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn take_turn(
    mut sender: Sender,
    request: Request<Empty<Bytes>>,
    ask: Ask,
    end: Instant,
) -> Turn {
    let mut answers = Vec::new();
    let mut wrong = Vec::new();
    while Instant::now() < end {
        let begin = Instant::now();
        match send(&mut sender, ask.next(&request)).await {
            Ok(answer) => match check(&answer, &ask) {
                Ok(()) => answers.push(micros(begin.elapsed())),
                Err(error) => wrong.push(error),
            },
            Err(error) => {
                wrong.push(error);
                break;
            }
        }
    }
    Turn {
        sender,
        answers,
        wrong,
    }
}

async fn send(sender: &mut Sender, request: Request<Empty<Bytes>>) -> Result<Answer, String> {
    let exchange = async {
        sender.ready().await?;
        let answer = sender.send_request(request).await?;
        let (head, body) = answer.into_parts();
        Ok((head, body.collect().await?.to_bytes()))
    };
    let done: Result<_, hyper::Error> = timeout(PATIENCE, exchange)
        .await
        .map_err(|_| format!("no answer came in {} s.", PATIENCE.as_secs()))?;
    let (head, body) = done.map_err(|error| format!("the connection failed ({error})."))?;
    let cookies = head.headers.get_all(hyper::header::SET_COOKIE).iter();
    Ok(Answer {
        status: head.status.as_u16(),
        cookies: cookies
            .filter_map(|line| line.to_str().ok()?.split(';').next().map(str::to_owned))
            .collect(),
        body,
    })
}

fn check(answer: &Answer, ask: &Ask) -> Result<(), String> {
    let mark = ask.mark.as_bytes();
    if answer.status != ask.status {
        return Err(format!(
            "status {} instead of {}: {}",
            answer.status,
            ask.status,
            beginning(answer)
        ));
    }
    if answer.body.windows(mark.len()).any(|words| words == mark) {
        return Ok(());
    }
    Err(format!(
        "status {} as expected, but nowhere \"{}\": {}",
        answer.status,
        ask.mark,
        beginning(answer)
    ))
}

/// What an answer that is not the right one says.
fn beginning(answer: &Answer) -> String {
    let text = String::from_utf8_lossy(&answer.body);
    text.chars().take(200).collect()
}

fn request(ask: &Ask, host: &str) -> Result<Request<Empty<Bytes>>, String> {
    let mut request = Request::get(&*ask.target).header(HOST, host);
    if let Some((name, value)) = &ask.header {
        request = request.header(name, value);
    }
    request
        .body(Empty::new())
        .map_err(|error| format!("GET {} cannot be asked: {error}.", ask.target))
}

impl Ask {
    /// The request of the next visitor, who may be the same one.
    fn next(&self, request: &Request<Empty<Bytes>>) -> Request<Empty<Bytes>> {
        let mut request = request.clone();
        let cookie = self.newcomers.as_ref().map(Newcomers::cookie);
        if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
            request.headers_mut().insert(COOKIE, cookie);
        }
        request
    }
}

fn micros(time: Duration) -> u32 {
    u32::try_from(time.as_micros()).unwrap_or(u32::MAX)
}
