//! Now Serving: a virtual waiting room at the edge.
//!
//! A visitor draws a numbered ticket, sees how many are ahead, and goes in when the "now serving" sign reaches the
//! number. Two counters in Redis are all the shared state; the number lives in a signed cookie.
//!
//! One request reads from top to bottom through these files, and arrows only go down:
//!
//! | file | what it knows |
//! |---|---|
//! | `main.rs` | the order: load, decide, perform |
//! | `edge.rs` | the platform; it and the files below `edge/` alone name its SDK, and are not part of this library |
//! | [`service`] | route a request, word its answer |
//! | [`visit`] | one visit: ticket, the sign, at most one call to the store, verdict |
//! | [`login`] | who asks on the operators' routes, and how often somebody may guess |
//! | [`admin`], [`fields`] | those routes; what their requests say |
//! | [`waiting`] | the waiting answer: what to tell and when to come back |
//! | [`aside`] | what the waiting page asks for besides itself |
//! | [`page`], [`negotiate`] | what people and programs see, and which of the two is asking |
//! | [`cors`] | which pages elsewhere may read our answers |
//! | [`words`] | the page in the visitor's language |
//! | [`ticket`], [`cookie`], [`keeping`] | the signed number, and how the browser keeps it |
//! | [`keys`] | a key of its own for every purpose |
//! | [`trouble`] | what a POP knows of the store's troubles |
//! | [`near`] | the copy of the sign in the data centre |
//! | [`line`](mod@line) | the verbs of the line, one Lua script and one call each |
//! | [`upstash`] | the store's wire, as a pure codec |
//! | [`admission`], [`queue`] | the arithmetic; the rules of the line, and the whole line as a model |
//! | [`tally`], [`metrics`] | what is counted, on its way to the store; and as Prometheus reads it |
//! | [`budget`] | what a sandbox may use before it ends |
//! | [`config`], [`record`], [`http`] | settings; the log line; a request and its answer as plain data |

pub mod admin;
pub mod admission;
pub mod aside;
pub mod budget;
pub mod config;
pub mod cookie;
pub mod cors;
pub mod fields;
pub mod http;
pub mod keeping;
pub mod keys;
pub mod line;
pub mod login;
pub mod metrics;
pub mod near;
pub mod negotiate;
pub mod page;
pub mod queue;
pub mod record;
pub mod service;
pub mod tally;
pub mod ticket;
pub mod trouble;
pub mod upstash;
pub mod visit;
pub mod waiting;
pub mod words;
