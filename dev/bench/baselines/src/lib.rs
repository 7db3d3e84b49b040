//! The baselines of `cargo dev bench`, and what these floors send: constants, so that a floor reads no settings and parses nothing.
//!
//! A floor is the least a handler can do on the platform for one kind of request. Each serves from
//! the same loop as the product, so that what is measured above it is the product's own work.

/// How long the waiting page is, about; `cargo dev bench` refuses to compare with one that is not.
pub const PAGE_LENGTH: usize = 11_900;

/// A page of that length.
pub static PAGE: [u8; PAGE_LENGTH] = [b'.'; PAGE_LENGTH];

/// As long as an update, a copy of the board, and a line of the log.
pub static PLACE: [u8; 187] = [b'.'; 187];
/// The same.
pub static SIGN: [u8; 700] = [b'.'; 700];
/// The same.
pub static LINE: [u8; 500] = [b'.'; 500];

/// What the floor that asks the store has run there: like a draw, one change and eight numbers.
pub const SCRIPT: &str =
    "local n = redis.call('HINCRBY', KEYS[1], 'length', 1) return {1, 0, n, 0, n, 0, 0, 0}";

/// The call that runs [`SCRIPT`] by its digest, as long as the product's.
pub const STORE_CALL: &str = concat!(
    r#"["EVALSHA","aa89ef94b889027bce41a7fe7e4bbca7af58574d","2","#,
    r#""queue:{floor}","queue:{floor}:join:00000000000000000000000000000000","0","0","172800","1800000000000","0"]"#
);

/// The token of the local store.
pub const STORE_TOKEN: &str = "development-only-upstash-token";
/// The header that brings it.
pub const STORE_AUTHORIZATION: &str = "Bearer development-only-upstash-token";
