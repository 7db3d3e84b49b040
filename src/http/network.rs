//! Which network an address belongs to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The network of an address, as far as one provider's customer or one site reaches: the first 24 bits of an IPv4 address, the
/// first 48 of an IPv6 address.
#[must_use]
pub fn network(address: IpAddr) -> String {
    let network = match address.to_canonical() {
        IpAddr::V4(four) => IpAddr::from(Ipv4Addr::from(u32::from(four) >> 8 << 8)),
        IpAddr::V6(six) => IpAddr::from(Ipv6Addr::from(u128::from(six) >> 80 << 80)),
    };
    network.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_are_alike() {
        let of = |address: &str| address.parse().map(network).ok();
        assert_eq!(of("192.0.2.7").as_deref(), Some("192.0.2.0"));
        assert_eq!(of("::ffff:192.0.2.9"), of("192.0.2.7"));
        assert_ne!(of("192.0.3.7"), of("192.0.2.7"));
        assert_eq!(of("2001:db8:1:2::3").as_deref(), Some("2001:db8:1::"));
        assert_eq!(of("2001:db8:1:ffff::"), of("2001:db8:1:2::3"));
        assert_ne!(of("2001:db8:2::"), of("2001:db8:1::"));
    }
}
