//! Free ports for programs that cannot choose one: they are told theirs when they start.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

/// Below all that Linux and macOS give to programs that ask for any port, and above those that browsers refuse.
const FIRST: u16 = 12_000;
const MANY: u16 = 20_000;

/// An address whose port is free. This process names it once, and the system gives it to no program.
///
/// # Errors
/// When none is free.
pub fn free_addr() -> Result<SocketAddr, String> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Processes that look at the same time begin at different ports.
    let first = process::id() % 1_000 * 20;
    let begin = u16::try_from(first).unwrap_or_default();
    let mut ports = (0..MANY).map(|_| {
        let next = NEXT.fetch_add(1, Ordering::SeqCst) % MANY;
        FIRST + (begin + next) % MANY
    });
    let free = ports.find_map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok());
    let free = free.and_then(|listener| listener.local_addr().ok());
    free.ok_or_else(|| "No port is free on this machine.".to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_port_is_named_twice_and_none_is_one_that_the_system_gives() {
        let ports: BTreeSet<u16> = (0..100)
            .filter_map(|_| free_addr().ok())
            .map(|addr| addr.port())
            .collect();
        assert_eq!(ports.len(), 100);
        assert!(
            ports
                .iter()
                .all(|port| (FIRST..FIRST + MANY).contains(port))
        );
    }
}
