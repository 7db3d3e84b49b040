//! What the platform says of a request: by the products that the service has, its firewall among them, and by the geolocation of the
//! address.
//!
//! Every answer is a call of the host, made only when it is asked for.

use std::cell::RefCell;

use fastly::Request;
use fastly::geo::{Geo, ProxyDescription, ProxyType, geo_lookup};
use fastly::handle::{BodyHandle, RequestHandle};
use fastly::security::{InspectConfig, InspectError, InspectVerdict, inspect};

use now_serving::queue::{Platform, Signal, Waf, WafAnswer, WafFault};

use super::outbox::Counts;
use super::request::handle;

/// The request of a visitor, whose body may still be read. Once it has been answered the platform says nothing of it.
pub(super) struct Said<'a> {
    request: &'a RefCell<Option<Request>>,
    counts: &'a Counts,
}

impl<'a> Said<'a> {
    /// What the platform says of this request.
    pub(super) fn of(request: &'a RefCell<Option<Request>>, counts: &'a Counts) -> Self {
        Self { request, counts }
    }
}

impl Platform for Said<'_> {
    fn says(&self, signal: Signal) -> Option<bool> {
        let request = self.request.borrow();
        let handle = handle(request.as_ref()?);
        match signal {
            Signal::Bot => handle.bot_analyzed().then(|| handle.bot_detected()),
            Signal::Hosting => handle
                .vpn_proxy_is_hosting_provider()
                .or_else(|| located(handle, is_hosting)),
            Signal::Anonymous => {
                is_anonymous(handle).or_else(|| located(handle, is_anonymous_place))
            }
            Signal::Ddos => handle.client_ddos_detected(),
        }
    }

    fn is_verified_crawler(&self) -> bool {
        let request = self.request.borrow();
        request
            .as_ref()
            .and_then(|request| handle(request).bot_verified())
            == Some(true)
    }

    /// As the visitor sent it: with its cookies, and with its body, which goes on to the origin afterwards.
    fn inspect(&self, waf: &Waf) -> WafAnswer {
        let request = self.request.borrow();
        let Some(request) = request.as_ref() else {
            return WafAnswer::Failed(WafFault::NotAsked);
        };
        // No document says whether the platform counts it among the backend calls of a sandbox.
        self.counts.has_called();
        let (head, body) = request.as_handles();
        // The SDK would keep one empty body for all requests of a sandbox.
        let none;
        let body = if let Some(body) = body {
            body
        } else {
            none = BodyHandle::new();
            &none
        };
        let config = InspectConfig::from_handles(head, body)
            .corp(&waf.corp)
            .workspace(&waf.workspace);
        let said = match inspect(config) {
            Ok(said) => said,
            Err(fault) => return WafAnswer::Failed(why(&fault)),
        };
        match said.verdict() {
            InspectVerdict::Allow => WafAnswer::Allow,
            InspectVerdict::Block => WafAnswer::Block {
                status: said.status(),
                redirect: said.redirect_url().map(str::to_owned),
            },
            InspectVerdict::Unauthorized => WafAnswer::Failed(WafFault::Unauthorized),
            InspectVerdict::Other(_) => WafAnswer::Failed(WafFault::UnknownVerdict),
        }
    }
}

fn why(fault: &InspectError) -> WafFault {
    match fault {
        InspectError::NoVerdict => WafFault::NoVerdict,
        InspectError::InvalidConfig => WafFault::WrongNames,
        InspectError::DeserializeError(_)
        | InspectError::InvalidBytes(..)
        | InspectError::BufferSizeError(_) => WafFault::Garbled,
        _ => WafFault::NotAsked,
    }
}

/// The first question covers hosting providers and the relays of browsers too, which are no anonymous visitors by themselves.
fn is_anonymous(handle: &RequestHandle) -> Option<bool> {
    let is = |said: Option<bool>| said == Some(true);
    let is_any = handle.vpn_proxy_is_anonymous()?;
    Some(
        is_any
            && (is(handle.vpn_proxy_is_anonymous_vpn())
                || is(handle.vpn_proxy_is_public_proxy())
                || is(handle.vpn_proxy_is_tor_exit_node())),
    )
}

fn located(handle: &RequestHandle, is_so: fn(&Geo) -> bool) -> Option<bool> {
    let place = geo_lookup(handle.client_ip_addr()?)?;
    Some(is_so(&place))
}

fn is_hosting(place: &Geo) -> bool {
    place.proxy_type() == ProxyType::Hosting || place.proxy_description() == ProxyDescription::Cloud
}

/// A proxy of type `public` stands where many people may use the internet, such as a library.
fn is_anonymous_place(place: &Geo) -> bool {
    let is_exit = matches!(
        place.proxy_description(),
        ProxyDescription::TorExit | ProxyDescription::Vpn
    );
    is_exit || place.proxy_type() == ProxyType::Anonymous
}
