//! An origin that checks `Queue-Pass`, in six languages: each lets in the same passes, and refuses the same.

use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cli_core::secret::pass_keys;
use harness::ports::free_addr;
use harness::{project, tools};
use now_serving::queue::{Now, Position, RoomName};
use now_serving::ticket::keys::{Purpose, derived};
use now_serving::ticket::{Keys, TicketStage};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::program::{Program, example};
use crate::house::{Ask, House, SECRET, Visitor};
use crate::stories::rooms::Browser;
use crate::tickets;

/// The entry of `jwt_secret` that comes next, while a rotation is under way.
const NEXT_SECRET: &str = "development-only-next-secret-0123456789abcdef";
const HOST: &str = "shop.example";
const ROOM: &str = "main";
/// The rooms whose visitors the shop lets in.
const ROOMS: &str = "main,sale tickets-2 , sale_3";
/// What names no rooms.
const NO_ROOMS: [&str; 7] = ["", " ", ",", "main,,sale", "main, ", ", main", "main;sale"];
const WELCOME: &str = "<p>Welcome to the shop.</p>";
const REFUSED: &str = "This shop is reached through its waiting room only.";

pub(super) fn now() -> Now {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Now::from_secs(now.as_secs())
}

/// A visitor's ticket, let in.
fn admitted() -> TicketStage {
    TicketStage::Admitted {
        position: Some(Position(5)),
        born: 1,
        at: now().secs(),
        session: Some(now().secs() / 60),
    }
}

/// A pass as the edge signs it.
fn pass(secret: &str, room: &str, host: &str, now: Now) -> String {
    let ticket = tickets::ticket("0123456789abcdef".to_owned(), admitted(), now.secs());
    let keys = Keys::new(secret, None);
    keys.pass(&ticket, &RoomName::new(room), host, now).unwrap()
}

/// The parts of a pass, decoded.
fn parts(pass: &str) -> [Vec<u8>; 3] {
    let parts = pass.split('.').map(|part| URL_SAFE_NO_PAD.decode(part));
    let parts: Vec<Vec<u8>> = parts.map(Result::unwrap).collect();
    parts.try_into().unwrap()
}

fn whole(parts: [Vec<u8>; 3]) -> String {
    parts.map(|part| URL_SAFE_NO_PAD.encode(part)).join(".")
}

/// A pass whose header and claims are changed, signed with this key.
fn signed_anew(header: &[(&str, Value)], claims: &[(&str, Value)], key: &[u8]) -> String {
    let changed = |part: &[u8], changes: &[(&str, Value)]| {
        let mut part: Value = serde_json::from_slice(part).unwrap();
        for (name, value) in changes {
            part[*name] = value.clone();
        }
        part.as_object_mut()
            .unwrap()
            .retain(|_, value| !value.is_null());
        URL_SAFE_NO_PAD.encode(part.to_string())
    };
    let [old_header, old_claims, _] = parts(&pass(SECRET, ROOM, HOST, now()));
    let text = format!(
        "{}.{}",
        changed(&old_header, header),
        changed(&old_claims, claims)
    );
    let signature = hmac_sha256::HMAC::mac(&text, key);
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// A pass of which one bit of that part is another.
fn with_one_bit_changed(part: usize) -> String {
    let mut parts = parts(&pass(SECRET, ROOM, HOST, now()));
    let middle = parts[part].len() / 2;
    parts[part][middle] ^= 1;
    whole(parts)
}

/// What is let in: a pass by each entry of `jwt_secret`, for each host, and of each room.
fn good() -> [(&'static str, String); 6] {
    let of_room = |room| pass(SECRET, room, HOST, now());
    [
        ("a pass", of_room(ROOM)),
        ("a pass of the second room", of_room("sale")),
        ("a pass of the third room", of_room("tickets-2")),
        ("a pass of the last room", of_room("sale_3")),
        (
            "a pass by the next entry",
            pass(NEXT_SECRET, ROOM, HOST, now()),
        ),
        (
            "a pass for the other host",
            pass(SECRET, ROOM, "www.shop.example", now()),
        ),
    ]
}

/// What is refused, by what is wrong with it.
fn bad() -> Vec<(&'static str, Option<String>)> {
    let key = derived(SECRET.as_bytes(), Purpose::Pass);
    let header = |name, value| signed_anew(&[(name, value)], &[], &key);
    let claim = |name, value| signed_anew(&[], &[(name, value)], &key);
    let good = pass(SECRET, ROOM, HOST, now());
    let (text, _) = good.rsplit_once('.').unwrap();
    let unsigned = header("alg", json!("none"));
    let (unsigned, _) = unsigned.rsplit_once('.').unwrap();
    let ticket = tickets::signed("AAAA".to_owned(), admitted(), ROOM, now().secs());
    let an_hour_ago = Now::from_secs(now().secs() - 3600);
    let made = [
        ("empty", String::new()),
        ("no token at all", "let-me-in".to_owned()),
        ("three empty parts", "..".to_owned()),
        ("JSON of another shape", "bnVsbA.W10.e30".to_owned()),
        ("no signature", format!("{text}.")),
        ("a fourth part", format!("{good}.e30")),
        ("one bit of the header", with_one_bit_changed(0)),
        ("one bit of the claims", with_one_bit_changed(1)),
        ("one bit of the signature", with_one_bit_changed(2)),
        ("another key", signed_anew(&[], &[], &[7; 32])),
        (
            "the key of tickets",
            signed_anew(&[], &[], SECRET.as_bytes()),
        ),
        ("another secret", pass(&"a".repeat(32), ROOM, HOST, now())),
        ("an unknown key name", header("kid", json!("AAAAAAAA"))),
        ("no key name", header("kid", Value::Null)),
        ("algorithm none", format!("{unsigned}.")),
        ("algorithm HS512", header("alg", json!("HS512"))),
        ("algorithm RS256", header("alg", json!("RS256"))),
        ("the type of a ticket", header("typ", json!("JWT"))),
        ("no type", header("typ", Value::Null)),
        ("a ticket", ticket),
        ("expired", pass(SECRET, ROOM, HOST, an_hour_ago)),
        ("no end", claim("exp", Value::Null)),
        ("another room", pass(SECRET, "other", HOST, now())),
        ("a part of a room's name", pass(SECRET, "sal", HOST, now())),
        ("the names of all rooms", pass(SECRET, ROOMS, HOST, now())),
        ("an empty room", claim("room", json!(""))),
        ("a list of rooms", claim("room", json!([ROOM]))),
        ("no room", claim("room", Value::Null)),
        (
            "another host",
            pass(SECRET, ROOM, "shop.example.evil", now()),
        ),
        ("no host", claim("aud", Value::Null)),
        ("too long", claim("padding", json!("a".repeat(1024)))),
    ];
    let made = made.map(|(name, pass)| (name, Some(pass)));
    [("no header", None)].into_iter().chain(made).collect()
}

/// A shop that runs, and where it is.
struct Shop {
    port: u16,
    program: Program,
    _folder: TempDir,
}

impl Shop {
    /// Starts an example, given the command that runs it at a port and in a folder of its own.
    fn start(command: &CommandOf, rooms: &str, hosts: &str) -> Self {
        let keys = pass_keys(&format!("{SECRET},{NEXT_SECRET}")).unwrap();
        Self::start_with(command, (rooms, hosts), &keys)
    }

    fn start_with(command: &CommandOf, (rooms, hosts): (&str, &str), keys: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_addr().unwrap().port();
        let mut command = command(port, &folder);
        command
            .env("QUEUE_PASS_KEYS", keys)
            .env("QUEUE_ROOM", rooms)
            .env("QUEUE_HOSTS", hosts)
            .env("PORT", port.to_string())
            .current_dir(&folder);
        let mut program = Program::start(&mut command);
        let listens = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
        program.until(|program| listens() || program.has_ended());
        Self {
            port,
            program,
            _folder: folder,
        }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The status and the text that a request gets with this pass. The shop's pages are HTML and are shown as that; what refuses a
    /// request is plain text.
    fn ask(&self, pass: Option<&str>) -> (u16, String) {
        let config = ureq::Agent::config_builder().http_status_as_error(false);
        let mut request = config
            .build()
            .new_agent()
            .get(format!("{}/shoes", self.url()));
        if let Some(pass) = pass {
            request = request.header("Queue-Pass", pass);
        }
        let mut response = request
            .call()
            .unwrap_or_else(|error| panic!("{error}: {}", self.program.written()));
        let text = response.body_mut().read_to_string().unwrap();
        let media = response.headers()["content-type"].to_str().unwrap();
        match response.status().as_u16() {
            200 => assert!(media.starts_with("text/html"), "{media}: {text}"),
            403 => assert!(media.starts_with("text/plain"), "{media}: {text}"),
            _ => {}
        }
        (response.status().as_u16(), text)
    }

    /// It has ended, or refuses what it would let in. Either way it names the variable that is wrong.
    fn refuses_all(mut self, variable: &str) {
        if !self.program.has_ended() {
            let (status, text) = self.ask(Some(&pass(SECRET, ROOM, HOST, now())));
            assert!(status >= 400, "{text}");
        }
        self.program
            .until(|program| program.written().contains(variable));
    }
}

type CommandOf = dyn Fn(u16, &TempDir) -> Command;

/// What every example has to do.
fn holds(command: &CommandOf) {
    let shop = Shop::start(command, ROOMS, &format!("{HOST} www.{HOST}"));
    for (name, pass) in good() {
        let (status, text) = shop.ask(Some(&pass));
        assert_eq!((status, text.trim()), (200, WELCOME), "{name}");
    }
    for (name, pass) in bad() {
        let (status, text) = shop.ask(pass.as_deref());
        assert_eq!(status, 403, "{name}: {text}");
        assert!(text.starts_with(REFUSED), "{name}: {text}");
    }
    let mut shop = Shop::start_with(command, (ROOM, HOST), "");
    if !shop.program.has_ended() {
        let (status, text) = shop.ask(Some(&pass(SECRET, ROOM, HOST, now())));
        assert!(status >= 400, "without keys nobody is let in: {text}");
    }
    for rooms in NO_ROOMS {
        Shop::start(command, rooms, HOST).refuses_all("QUEUE_ROOM");
    }
}

fn run(program: PathBuf, file: &str) -> Command {
    let mut command = Command::new(program);
    command.arg(example(file));
    command
}

fn node(_: u16, _: &TempDir) -> Command {
    run(tools::node().unwrap(), "origin/node/server.js")
}

#[test]
fn node_lets_in_requests_with_a_good_pass_alone() {
    holds(&node);
}

#[test]
fn python_lets_in_requests_with_a_good_pass_alone() {
    holds(&|_, _| run(tools::python().unwrap(), "origin/python/server.py"));
}

#[test]
fn rust_lets_in_requests_with_a_good_pass_alone() {
    let words = [
        "build",
        "-q",
        "-p",
        "now-serving",
        "--example",
        "queue-pass",
    ];
    assert!(project::cargo(&words).unwrap().status().unwrap().success());
    let target = &project::project().unwrap().target;
    holds(&|_, _| Command::new(target.join("debug/examples/queue-pass")));
}

/// Its ports and its module are named in its configuration.
fn nginx(port: u16, folder: &TempDir) -> Command {
    let (program, module) = tools::nginx().unwrap();
    let text = std::fs::read_to_string(example("origin/nginx/nginx.conf")).unwrap();
    let changes = [
        ("modules/ngx_http_js_module.so", module.to_str().unwrap()),
        ("8080", &port.to_string()),
        ("8081", &free_addr().unwrap().port().to_string()),
    ];
    let here = changes.iter().fold(text, |text, (written, here)| {
        assert!(text.contains(written), "{written}");
        text.replace(written, here)
    });
    std::fs::write(folder.path().join("nginx.conf"), here).unwrap();
    let script = folder.path().join("queue_pass.js");
    std::fs::copy(example("origin/nginx/queue_pass.js"), script).unwrap();
    let mut command = Command::new(program);
    command.args(["-e", "stderr", "-c", "nginx.conf", "-p"]);
    command.arg(folder.path());
    command
}

#[test]
fn nginx_lets_in_requests_with_a_good_pass_alone() {
    holds(&nginx);
}

/// The program, or a line that is seen whether or not the test passes.
pub(super) fn where_it_is(name: &str) -> Option<PathBuf> {
    let found = tools::on_path(name);
    if found.is_none() {
        let line = format!("{name} is not on the PATH, so its examples were not run.\n");
        io::stderr().write_all(line.as_bytes()).unwrap();
    }
    found
}

#[test]
fn go_lets_in_requests_with_a_good_pass_alone() {
    let Some(go) = where_it_is("go") else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("shop");
    let mut build = Command::new(go);
    build.args(["build", "-o"]).arg(&program).arg(".");
    let status = build.current_dir(example("origin/go")).status().unwrap();
    assert!(status.success());
    holds(&move |_, _| Command::new(&program));
}

#[test]
fn php_lets_in_requests_with_a_good_pass_alone() {
    let Some(php) = where_it_is("php") else {
        return;
    };
    holds(&move |port, _| {
        let mut command = Command::new(&php);
        command.args(["-S", &format!("127.0.0.1:{port}")]);
        command.arg(example("origin/php/index.php"));
        command
    });
}

#[test]
fn a_visitor_who_was_let_in_reaches_the_shop_and_a_request_that_goes_around_the_edge_does_not() {
    let shop = Shop::start(&node, ROOM, "127.0.0.1");
    let house = House::wasm_with_origin(&shop.url());
    let mut visitor = Visitor::new(&house);
    assert_eq!(visitor.ask("/shoes").json()["waiting"], true);
    house.permit(1);
    let got = visitor.ask("/shoes");
    assert_eq!((got.status, got.body.trim()), (200, WELCOME));
    let around = shop.ask(None);
    assert_eq!(around.0, 403, "{}", around.1);
    let with_ticket = Ask::get("/shoes").with("queue-pass", visitor.ticket.clone().unwrap());
    let got = house.ask(&with_ticket);
    assert_eq!(
        got.status, 503,
        "a stranger's own pass opens nothing: {got:?}"
    );
}

#[test]
fn visitors_of_the_rooms_that_the_shop_serves_reach_it_and_those_of_another_room_do_not() {
    let shop = Shop::start(&node, "main, sale", "127.0.0.1");
    let house = House::wasm_with_origin(&shop.url());
    let rooms = json!([
        { "name": "sale", "paths": "/sale/*" },
        { "name": "forum", "paths": "/forum/*" },
    ]);
    house.set("rooms", &rooms.to_string());
    for (room, status, text) in [("sale", 200, WELCOME), ("forum", 403, REFUSED)] {
        let (mut visitor, path) = (Browser::default(), format!("/{room}/shoes"));
        assert_eq!(visitor.number(&house, &path), 1, "{room}");
        let let_in = Ask::json_to(&format!("room/{room}/permit"), r#"{"amt":1}"#);
        assert_eq!(house.ask(&let_in).status, 200, "{room}");
        house.wait(Duration::from_secs(2));
        let got = visitor.ask(&house, Ask::get(&path));
        assert_eq!(got.status, status, "{room}: {got:?}");
        assert!(got.body.starts_with(text), "{room}: {got:?}");
    }
}
