//! What is seen of a site from outside, whatever answers its visitors: looks at its store that count for nothing.

use now_serving::queue::Sessions;
use upstash_local::Store;

/// A site with a room and a store.
pub trait Outside {
    /// Its store.
    fn store(&self) -> &Store;
    /// The name of its room.
    fn room(&self) -> &str;
    /// Its time, since 1970.
    fn now_ms(&self) -> u64;
    /// How many requests came.
    fn requests(&self) -> u64;
    /// The sessions under a cap, where they are known.
    fn sessions(&self) -> Option<Sessions>;

    /// `length` and `cursor` as they truly are.
    fn line(&self) -> (u64, u64) {
        let own = self.field("own").unwrap_or(0);
        let [length, cursor] = ["drawn", "served"].map(|figure| {
            let field = format!("main/{own} {figure}");
            self.field(&field).unwrap_or(0)
        });
        (length, cursor)
    }

    /// Whether the marker of a sick origin stands.
    fn is_sick(&self) -> bool {
        let until_ms = self.field("sick_until");
        until_ms.is_some_and(|until_ms| self.now_ms() < until_ms)
    }

    /// How many calls the store was sent.
    fn calls(&self) -> u64 {
        self.store().calls()
    }

    /// A number that the store keeps with the line.
    fn field(&self, field: &str) -> Option<u64> {
        let key = format!("queue:{{{}}}", self.room());
        let read = self.store().command(&["HGET", &key, field]);
        read.ok()?.as_str()?.parse().ok()
    }
}
