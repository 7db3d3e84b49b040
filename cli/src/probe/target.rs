//! The service that is probed, as its URL names it.

use url::{Host, Url};

/// Scheme, host and port; the only place that requests are sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Whether TLS is spoken.
    pub(crate) is_secure: bool,
    /// To connect to, without the brackets of IPv6.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// As the header `Host` has it.
    pub(crate) authority: String,
    /// Whether it is on this machine: the local server, which differs from production.
    pub(crate) is_local: bool,
}

impl Target {
    /// Reads the value of this option.
    ///
    /// # Errors
    /// When it is no http or https URL, or names more than a host.
    pub(crate) fn parse(option: &str, url: &str) -> Result<Self, String> {
        let refused = |why: &str| {
            format!(
                "{option} {url}: {why}. Accepted is a URL such as https://www.shop.example, without a path."
            )
        };
        let url = Url::parse(url).map_err(|error| refused(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused("the scheme is neither http nor https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(format!(
                "{option} holds a user name or a password, and a command line is seen by every process of the machine. Accepted is a URL such as https://www.shop.example."
            ));
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(refused("it names a path; there are options for those"));
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(refused("it names no host"));
        };
        let is_local = match &host {
            Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        let named = host.to_string();
        Ok(Self {
            is_secure: url.scheme() == "https",
            authority: url
                .port()
                .map_or_else(|| named.clone(), |port| format!("{named}:{port}")),
            host: named.trim_matches(['[', ']']).to_owned(),
            port,
            is_local,
        })
    }

    /// `https` or `http`.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.is_secure { "https" } else { "http" }
    }

    /// The same host over plain http, at the port where a platform redirects.
    pub(crate) fn plain(&self) -> Self {
        let (host, _) = self
            .authority
            .rsplit_once(&format!(":{}", self.port))
            .unwrap_or((&self.authority, ""));
        Self {
            is_secure: false,
            port: 80,
            authority: host.to_owned(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    #[test]
    fn a_url_is_a_place_to_connect_to() {
        let shop = Target::parse("--service", "https://www.shop.example").unwrap();
        assert_eq!(
            (shop.port, shop.authority.as_str()),
            (443, "www.shop.example")
        );
        assert!(shop.is_secure && !shop.is_local);
        let here = Target::parse("--service", "http://127.0.0.1:7676/").unwrap();
        assert_eq!(
            (here.port, here.authority.as_str()),
            (7676, "127.0.0.1:7676")
        );
        assert!(!here.is_secure && here.is_local);
        let six = Target::parse("--service", "https://[::1]:8443").unwrap();
        assert_eq!(
            (six.host.as_str(), six.authority.as_str()),
            ("::1", "[::1]:8443")
        );
        assert_eq!(six.plain().authority, "[::1]");
        assert_eq!(shop.plain().authority, "www.shop.example");
    }

    #[test]
    fn what_is_no_service_is_refused_with_what_is_accepted() {
        for wrong in [
            "www.shop.example",
            "ftp://a",
            "https://a/path",
            "https://a/?b=c",
            "https://",
        ] {
            let refused = Target::parse("--service", wrong).unwrap_err();
            assert!(refused.contains("https://www.shop.example"), "{refused}");
        }
        let refused = Target::parse("--service", "https://admin:s3cret@a").unwrap_err();
        assert!(!refused.contains("s3cret"), "{refused}");
    }
}
