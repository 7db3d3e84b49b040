//! A verifier with a service such as Turnstile: its good tokens lead to a number, and nothing else does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cli_core::secret::verifier_keys;
use harness::ports::free_addr;
use harness::tools;
use serde_json::Value;

use super::program::{Program, example};
use crate::house::{ANY_PORT, Ask, House, SECRET, Visitor};
use crate::stories::networks::{bound, challenged, number};

const SERVICE_SECRET: &str = "the-secret-of-the-service";
const GOOD: &str = "a-good-token";

/// The service's `siteverify`: a token that it gave is good once.
struct Service {
    addr: SocketAddr,
    is_away: Arc<AtomicBool>,
}

impl Service {
    fn start() -> Self {
        let listener = TcpListener::bind(ANY_PORT).unwrap();
        let addr = listener.local_addr().unwrap();
        let is_away = Arc::new(AtomicBool::default());
        let away = Arc::clone(&is_away);
        thread::spawn(move || {
            let mut is_used = false;
            for stream in listener.incoming().map(Result::unwrap) {
                let form = posted(&stream);
                let field = |name: &str| form.iter().find(|(found, _)| found == name);
                let is = |name, value: &str| field(name).is_some_and(|(_, found)| found == value);
                let is_good = is("secret", SERVICE_SECRET) && is("response", GOOD) && !is_used;
                is_used |= is_good;
                let status = if away.load(Ordering::SeqCst) {
                    500
                } else {
                    200
                };
                tell(stream, status, &format!(r#"{{"success":{is_good}}}"#));
            }
        });
        Self { addr, is_away }
    }
}

/// The fields of a form, as a server reads them.
fn posted(stream: &TcpStream) -> Vec<(String, String)> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).unwrap() > 2 {
        let lower = line.to_ascii_lowercase();
        if let Some(found) = lower.strip_prefix("content-length:") {
            length = found.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let pairs = form_urlencoded::parse(&body);
    pairs.into_owned().collect()
}

fn tell(mut stream: TcpStream, status: u16, body: &str) {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} -\r\ncontent-length: {length}\r\nconnection: close");
    write!(stream, "{head}\r\n\r\n{body}").unwrap();
}

/// The example, which runs.
struct Verifier {
    port: u16,
    _program: Program,
}

/// Status, way on and page.
type Told = (u16, String, String);

impl Verifier {
    fn start(site: &str, service: &Service) -> Self {
        let port = free_addr().unwrap().port();
        let mut command = Command::new(tools::node().unwrap());
        command
            .arg(example("verifier/verifier.js"))
            .env("SITE", site)
            .env("VERIFIER_KEY", verifier_keys(SECRET).unwrap().trim())
            .env("SITE_KEY", "the-key-of-the-page")
            .env("SECRET_KEY", SERVICE_SECRET)
            .env("SITEVERIFY_URL", format!("http://{}/", service.addr))
            .env("PORT", port.to_string());
        let mut program = Program::start(&mut command);
        let listens = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
        program.until(|program| listens() || program.has_ended());
        Self {
            port,
            _program: program,
        }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/queue", self.port)
    }

    /// What a visitor gets who comes with this query.
    fn shown(&self, query: &str) -> Told {
        let url = format!("{}?{query}", self.url());
        told(agent().get(url).call().unwrap())
    }

    /// What a visitor gets whose form has this token besides what the room asks.
    fn sent(&self, way: &str, token: &str) -> Told {
        let (_, query) = way.split_once('?').unwrap();
        let form = format!("{query}&cf-turnstile-response={token}");
        let request = agent()
            .post(self.url())
            .header("content-type", "application/x-www-form-urlencoded");
        told(request.send(&form).unwrap())
    }
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    config.max_redirects(0).build().new_agent()
}

fn told(mut response: ureq::http::Response<ureq::Body>) -> Told {
    let way = response.headers().get("location");
    let way = way.map(|way| way.to_str().unwrap().to_owned());
    let page = response.body_mut().read_to_string().unwrap();
    (response.status().as_u16(), way.unwrap_or_default(), page)
}

#[test]
fn a_token_of_the_service_is_a_number_and_nothing_else_is() {
    let (house, service) = (House::wasm_shared(), Service::start());
    bound(&house);
    let site = house.wasm_side().edge.url();
    let site = site.trim_end_matches('/');
    let verifier = Verifier::start(site, &service);
    house.set("verifier", &verifier.url());
    let mut visitor = Visitor::new(&house);
    let way = challenged(&mut visitor)["verifier"].clone();
    let way = way.as_str().unwrap();
    assert!(way.starts_with(&verifier.url()), "{way}");

    let (status, _, page) = verifier.shown(way.split_once('?').unwrap().1);
    assert_eq!(status, 200, "{page}");
    let field = format!("name=\"answer_to\" value=\"{site}/_queue/challenge\"");
    for part in [&*field, "name=\"to\" value=\"/\"", "the-key-of-the-page"] {
        assert!(page.contains(part), "{part} in {page}");
    }
    let (status, on, page) = verifier.sent(way, "a-bad-token");
    assert_eq!((status, &*on), (403, ""), "{page}");
    service.is_away.store(true, Ordering::SeqCst);
    let (status, on, page) = verifier.sent(way, "");
    assert_eq!((status, &*on), (503, ""), "{page}");
    service.is_away.store(false, Ordering::SeqCst);
    assert_eq!(number(&mut visitor), Value::Null);

    let (status, on, page) = verifier.sent(way, GOOD);
    assert_eq!(status, 303, "{page}");
    let back = on.strip_prefix(site).unwrap();
    let got = visitor.send_once(Ask::get(back));
    assert_eq!((got.status, got.header("location")), (303, "/"), "{got:?}");
    assert_eq!(number(&mut visitor), 3);
    assert_eq!(verifier.sent(way, GOOD).0, 403, "a token is good once");
}

#[test]
fn it_signs_for_its_own_room_and_sends_no_visitor_elsewhere() {
    let service = Service::start();
    let verifier = Verifier::start("https://shop.example", &service);
    let query = |text: &str, to: &str, answer_to: &str| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs([("text", text), ("to", to), ("answer_to", answer_to)]);
        query.finish()
    };
    let (text, answer_to) = ("1800000000.AbCdEfGhIjKl", "/_queue/challenge");
    assert_eq!(verifier.shown(&query(text, "/a", answer_to)).0, 200);
    let way = format!("?{}", query(text, "/a", answer_to));
    let (status, on, _) = verifier.sent(&way, GOOD);
    let begins = "https://shop.example/_queue/challenge?text=1800000000.AbCdEfGhIjKl&answer=";
    assert!(status == 303 && on.starts_with(begins), "{on}");
    for wrong in [
        query("anything", "/a", answer_to),
        query(text, "javascript:alert(1)", answer_to),
        query(text, "//evil.example", answer_to),
        query(text, "/a", "https://evil.example/_queue/challenge"),
        query(text, "/a", "https://shop.example.evil.example/"),
        String::new(),
    ] {
        assert_eq!(verifier.shown(&wrong).0, 400, "{wrong}");
        assert_eq!(verifier.sent(&format!("?{wrong}"), GOOD).0, 400, "{wrong}");
    }
}
