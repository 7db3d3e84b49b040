//! A line of a length of its own: visitors who wait there need not be made one by one.

use hyper::header::COOKIE;

use crate::scenario::{Ask, Cookies, Scenario};
use crate::test_bed::{Backends, Builds, draw, draw_again};
use harness::edge::Edge;

/// The product before a line in which this many visitors wait, and one more.
pub(crate) struct Line {
    // Dropped in this order: the edge before what it stands before.
    pub(crate) edge: Edge,
    pub(crate) backends: Backends,
    pub(crate) waiting: u64,
    cookie: String,
}

impl Line {
    /// A line of that length, and a visitor at its end.
    ///
    /// # Errors
    /// When something cannot be started, or the product gives that visitor no number.
    pub(crate) async fn lay(builds: &Builds, waiting: u64) -> Result<Self, String> {
        let backends = Backends::start()?;
        let edge = backends.product(builds)?;
        // The line begins with its first number.
        draw(edge.addr(), "/").await?;
        let length = ["main length", &waiting.to_string()];
        harness::kept::write(&backends.store, "queue:{main}", &length)?;
        let first = draw(edge.addr(), "/").await?;
        let cookie = draw_again(edge.addr(), (COOKIE, first)).await?;
        Ok(Self {
            edge,
            backends,
            waiting,
            cookie,
        })
    }

    /// How the page of that visitor polls.
    pub(crate) fn poll(&self) -> Ask {
        let cookies = Cookies {
            waiting: self.cookie.clone(),
            ..Cookies::default()
        };
        Scenario::Update.ask(&cookies)
    }
}
