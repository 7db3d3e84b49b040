//! The one home of what is said of each setting. Default, range and words come from the schema, which is held against the
//! service.

use super::Accepted::{Number, Text, Word};
use super::Setting;

/// In the order of the docs. Texts are Markdown, with links from `docs/reference`.
pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "room",
        accepted: Text("1–64 letters, digits, `-`, `_`"),
        what: "names the room: part of the store's keys and of every ticket",
    },
    Setting {
        name: "admin_path",
        accepted: Text("a path, neither `/` nor with `/` at its end"),
        what: "where the panel and the API are",
    },
    Setting {
        name: "admin_host",
        accepted: Text("none, a host name in lower case, without port"),
        what: "the only host with the panel and the API, a name such as `queue.shop.example` that visitors never use: see [A host for operators](../how-to/give-operators-a-host.md)",
    },
    Setting {
        name: "operators_acl",
        accepted: Text(
            "none, the name by which a Compute ACL is linked: 1–64 letters, digits, `-`, `_`",
        ),
        what: "from which networks people may use the panel and the API: those that the ACL allows. Programs with a token, the visitors' routes and `healthz` are not asked. An ACL that cannot be asked lets no person in",
    },
    Setting {
        name: "automatic",
        accepted: Number("s"),
        what: "length of a period; 0: no visitor goes in by schedule, and the line moves only by operators and by the origin",
    },
    Setting {
        name: "automatic_quantity",
        accepted: Number("visitors"),
        what: "how many visitors go in per period",
    },
    Setting {
        name: "profile",
        accepted: Word,
        what: "other defaults for several settings at once; a setting that is given goes before them. `observe`: everything is measured, and nothing acts: `origin_health`, `adaptive_pace`, `absent_visitors`, `active_visitors`, `shared_tickets`, `network_bound` and each of the `signals` are `observe`, and `on_origin_error` is `pass`. `sale`: `origin_health` and `absent_visitors` are `on`, `on_origin_error` is `keep`, `network_bound` is `challenge`, and `adaptive_pace` is `observe`",
    },
    Setting {
        name: "event",
        accepted: Text(
            "an object with `id`, `opens` and, if you like, `prequeue`, `closes`, `order`, `public_value`, `outside`, `then`, `admits`, `keeps_inside` and `with`, or a list of up to 16 in the order of their times",
        ),
        what: "an event that [begins by itself](../how-to/run-an-event.md#an-event-that-begins-by-itself). A time has its offset from UTC, such as `2030-01-31T10:00:00+01:00`. From `prequeue` on numbers are drawn, from `opens` on visitors go in, from `closes` on no new visitor does; `prequeue` is `opens` where it is missing, and without `closes` the event has no end. `id`, of 1–32 letters, digits, `-` and `_`, stays when the times change: another `id` begins a line of its own. `order` is `arrival` or `drawn`: [by lot](../how-to/run-an-event.md#the-order-by-lot), with `public_value`, of 1–100 characters, for where the value will be published that decides it. `outside` is `closed` where it is missing, `automatic` or `open`: the mode of the room before `prequeue` and after `closes`; where it is not closed, who waits at `prequeue` waits on. `then` is the mode that it sets at its end, as an operator would. `admits` is `all` or `none`: a maintenance, in which visitors wait. With `keeps_inside` = `false` all tickets end at its start. `with` is an object of [what differs while it runs](../how-to/run-an-event.md#what-differs-in-an-event). Of a list the first event counts that is not over",
    },
    Setting {
        name: "shared_tickets",
        accepted: Word,
        what: "under a cap, what is done about an admitted ticket that more networks use than `ticket_networks` says, in one data centre and within one session. `off`: nothing; `observe`: it is counted in `now_serving_shared_tickets_total` and in the log; `on`: visitors of further networks go to the back of the line",
    },
    Setting {
        name: "ticket_networks",
        accepted: Number("networks"),
        what: "from how many networks one admitted ticket may be used. A network is the first 24 bits of an IPv4 address, 48 of IPv6; a visitor's phone may use three within an hour",
    },
    Setting {
        name: "network_bound",
        accepted: Word,
        what: "what is done about a visitor whose network has drawn as many numbers within an hour as `network_draws` says. `off`: nothing, and nothing is counted by network; `observe`: a number is drawn, and counted in `now_serving_network_bound_draws_total` and in the log; `challenge`: the number is drawn [after a calculation or a wait](../how-to/one-person-one-place.md), and no visitor is refused",
    },
    Setting {
        name: "network_draws",
        accepted: Number("numbers"),
        what: "how many numbers one network may draw in an hour, which begins with its first draw. A network is the first 24 bits of an IPv4 address, 48 of IPv6. A mobile provider may have many visitors behind one network",
    },
    Setting {
        name: "signals",
        accepted: Text(
            "an object with `bot`, `hosting`, `anonymous` and `ddos`, each `ignore`, `observe`, `challenge` or `refuse`",
        ),
        what: "what is done about a visitor without a number of whom Fastly says [one of these](../how-to/one-person-one-place.md#signals); what is not named is ignored, and not asked for. `observe`: a number is drawn, and the request is counted in `now_serving_signals_total` and in the log; `challenge`: the number is drawn after a calculation or a wait; `refuse`: no number is drawn, and the answer is 403. Of several the strictest counts. Where bots are challenged or refused, verified crawlers are asked to come back later",
    },
    Setting {
        name: "verifier",
        accepted: Text(
            "none, an address such as `https://verify.shop.example/queue`, or a path of this site such as `/verify` that `bypass_paths` has, too; at most 200 characters, without a query",
        ),
        what: "your own page that [tests challenged visitors](../how-to/one-person-one-place.md#a-verifier-of-your-own), in place of the calculation. It signs its answer with the key that `cargo dev secret verifier` prints",
    },
    Setting {
        name: "allow_acl",
        accepted: Text(
            "none, the name by which a Compute ACL is linked: 1–64 letters, digits, `-`, `_`",
        ),
        what: "the networks of [monitors and partners](../how-to/monitors-and-partners.md), whose requests go to the origin without a ticket: those that the ACL allows. It is asked for requests without a number only. An ACL that cannot be asked lets no request pass",
    },
    Setting {
        name: "invited_per_minute",
        accepted: Number("visitors"),
        what: "how many visitors may go straight in by an [invitation](../how-to/invite.md) within a minute, past the line and besides its pace. 0: none",
    },
    Setting {
        name: "priority",
        accepted: Text(
            "none, a list of at most 16 objects, each with `name` and `share`, a percent; together at most 100 percent",
        ),
        what: "the [groups](../how-to/invite.md#groups) that invitations open, the first of which goes first, each with its share of each release while lower ones wait. Where there is none and `invited_per_minute` is 0, no invitation is taken",
    },
    Setting {
        name: "invitations_revoked",
        accepted: Text(
            "none, up to 100 names of batches, separated by commas or spaces: each 1–32 letters, digits, `-`, `_`",
        ),
        what: "the batches of [invitations](../how-to/invite.md) that are no longer good",
    },
    Setting {
        name: "regions",
        accepted: Text(
            "none, a list of 1–16 objects, each with `name`, either `countries` or `pops`, and maybe `share`, a percent, and `backend`, a name, with `origin_host`, its host",
        ),
        what: "the [regions](regions.md) with lines of their own, which share each release by fixed shares, or by how many visitors came to each. A visitor of none of them is in the main line",
    },
    Setting {
        name: "regions_lag",
        accepted: Number("min"),
        what: "which complete minute says how many came to each region: the last one, or the one before",
    },
    Setting {
        name: "absent_visitors",
        accepted: Word,
        what: "what is done about called visitors [who do not come](../explanation/health-and-pace.md#visitors-who-do-not-come). `off`: nothing; `observe`: their share is measured and shown; `on`: the pace also calls more visitors, so that as many come as it says. `on` is for periods of at most 60 s, and not where many visitors come late or are bots",
    },
    Setting {
        name: "turn_minutes",
        accepted: Number("min"),
        what: "for how long after the call [a turn](../explanation/fairness.md#the-order) is good, up to a twelfth longer; 0: as long as the ticket; else at least 5. A visitor who comes later draws anew",
    },
    Setting {
        name: "total_active",
        accepted: Number("sessions"),
        what: "a [cap on who is inside](../explanation/the-cap.md): how many sessions there may be at a time; 0: no cap, and no sessions. Operators [set it](api.md) while the line moves, too, as `session_minutes` and `claim_seconds`",
    },
    Setting {
        name: "session_minutes",
        accepted: Number("min"),
        what: "with a cap: a session ends that long after the visitor's last visit. Shorter than a payment with 3-D Secure takes, it throws payers out",
    },
    Setting {
        name: "session_renewal",
        accepted: Word,
        what: "with a cap: whether a visit makes its session longer. `off`: a session is of fixed length, `session_minutes` from the claim on",
    },
    Setting {
        name: "longest_stay_minutes",
        accepted: Text("0, or 2–1440 min and not less than `session_minutes`"),
        what: "with a cap: a visitor is inside for that long after the claim at most, to the end of the last minute, and then draws a new number; 0: for any time. Where operators set longer sessions, a visit may last as long as one",
    },
    Setting {
        name: "claim_seconds",
        accepted: Number("s"),
        what: "with a cap: for how long a slot is kept for a called visitor. A slot that is not claimed in time goes to the next; the turn stays",
    },
    Setting {
        name: "active_visitors",
        accepted: Word,
        what: "whether the cap holds visitors back; `observe` counts sessions and holds none back",
    },
    Setting {
        name: "origin_health",
        accepted: Word,
        what: "what is done about [how the origin answers](../explanation/health-and-pace.md#the-health-of-the-origin). `off`: its answers are not watched; `observe`: they are watched and shown; `on`: no new visitor goes in for 40–60 s once the origin is sick",
    },
    Setting {
        name: "slow_ms",
        accepted: Number("ms"),
        what: "an answer of the origin that takes longer is late",
    },
    Setting {
        name: "sick_min",
        accepted: Number("answers"),
        what: "the origin is sick only from this number of late and bad answers on; with 1, each of them is enough",
    },
    Setting {
        name: "sick_share",
        accepted: Number("%"),
        what: "the origin is sick only from this share of late and bad answers on, of those that are watched",
    },
    Setting {
        name: "watch_documents",
        accepted: Number("pages"),
        what: "of the pages that visitors inside ask for, one in this many is watched; 0: none, only first admissions",
    },
    Setting {
        name: "probe_path",
        accepted: Text("none, a path of at most 200 characters without a query"),
        what: "what the edge itself [asks the origin for](../explanation/health-and-pace.md#the-health-of-the-origin) after it has renewed the board, unless `origin_health` is `off`: at most once a second in each data centre, as a GET with the host of that visitor, or `origin_host`, and no other header of theirs. Its answer counts like those that are watched. Take a page that needs what your pages need, such as the database, and no ticket",
    },
    Setting {
        name: "adaptive_pace",
        accepted: Word,
        what: "whether the pace [follows the share of late answers](../explanation/health-and-pace.md#a-pace-that-follows-the-origin), with `origin_health` `observe` or `on`; `observe` shows what they say",
    },
    Setting {
        name: "window_min",
        accepted: Number("visitors"),
        what: "where the pace follows the answers, the fewest visitors of a period, and of the first period after a sickness; never more than `window_max`",
    },
    Setting {
        name: "window_max",
        accepted: Number("visitors"),
        what: "where the pace follows the answers, the most visitors of a period; 0: as many as the pace has",
    },
    Setting {
        name: "on_origin_error",
        accepted: Word,
        what: "what a called visitor gets where the origin answers with 500 or above. `pass`: that answer; `keep`: the waiting page, and the place in the line is kept",
    },
    Setting {
        name: "refresh_interval",
        accepted: Number("s"),
        what: "time between two looks near the front; far away it grows to 30 s",
    },
    Setting {
        name: "ticket_life",
        accepted: Number("s"),
        what: "life of a waiting ticket. A poll renews it when less than half or 70 s is left, so a ticket ends that long after the visitor's last poll, at the earliest half as long",
    },
    Setting {
        name: "cookie_expiry",
        accepted: Number("s"),
        what: "how long an admitted visitor stays inside; with a cap a session decides that, and the ticket lives at least as long",
    },
    Setting {
        name: "bypass_paths",
        accepted: Text("none, [paths](#paths)"),
        what: "skips the room: `/robots.txt` is this path alone, `/assets/*` everything below, `*.css` an extension, `POST /hooks/*` some methods only",
    },
    Setting {
        name: "bypass_when",
        accepted: Text("none, a list of up to 16 [conditions](#conditions)"),
        what: "a request that meets one of these skips every room, as a path of `bypass_paths` does. Any client can send what a condition asks for, but for its `country`, so it is a convenience and no lock",
    },
    Setting {
        name: "protected_paths",
        accepted: Text("[paths](#paths)"),
        what: "what the room is for, written as `bypass_paths`: `/*` is everything, and with `/checkout` or `/tickets/*` the rest of the site skips the room",
    },
    Setting {
        name: "kit",
        accepted: Text("none, what `cargo dev migrate` printed"),
        what: "the line of Fastly's starter kit that [the first room took over](../how-to/migrate.md#take-over-the-line): before the time `until` a visitor with a ticket of the kit has the same number here, if it is none above `numbers`. The line was born at `born`, in milliseconds",
    },
    Setting {
        name: "rooms",
        accepted: Text(
            "a list of up to 50 objects, each with `name`, one or more of `hosts`, `paths`, `countries` and `when`, maybe `shares`, and any of the settings in which rooms may differ",
        ),
        what: "[rooms besides the first](rooms.md), each with a line of its own: which requests are for it, and in which settings it differs. The first room is for all other requests",
    },
    Setting {
        name: "backend",
        accepted: Text(
            "the name of a backend of the service: 1–64 letters, digits, `-`, `_` and `.`; not `upstash`",
        ),
        what: "where [the requests of a room](rooms.md#a-backend-of-its-own) go, but for those of visitors inside whose region has [a backend of its own](regions.md#a-backend-of-its-own)",
    },
    Setting {
        name: "origin_host",
        accepted: Text("none, a host name in lower case, without port"),
        what: "the `Host` that the origin gets in place of the visitor's, which it has in `X-Forwarded-Host` then: for a site [on a platform or behind a CDN](../how-to/use-an-origin-that-goes-by-host.md). An `override_host` of the backend goes before it",
    },
    Setting {
        name: "waf",
        accepted: Word,
        what: "whether the edge asks [Fastly's Next-Gen WAF](../how-to/at-fastly-already.md#the-next-gen-waf) before it sends certain requests to the origin. `inspect`: about the request by which a visitor goes in, and about each whose method is not GET, HEAD or OPTIONS. It has never run on Fastly",
    },
    Setting {
        name: "waf_workspace",
        accepted: Text("none, `CORP/WORKSPACE`: each 1–128 letters, digits, `-`, `_` and `.`"),
        what: "the two names by which the Next-Gen WAF knows the site: your account's and the workspace's, also called site. Needed where `waf` is `inspect`",
    },
    Setting {
        name: "on_waf_error",
        accepted: Word,
        what: "what becomes of a request about which the Next-Gen WAF cannot be asked, or gives no verdict that is known here. `pass`: it goes to the origin; `block`: it is stopped like one that the WAF blocks",
    },
    Setting {
        name: "cache_paths",
        accepted: Text("none, [paths](#paths)"),
        what: "what the platform's cache may keep and show to several visitors, such as `/assets/*`; written as `bypass_paths`. Nothing is kept with `backend` or `origin_host`",
    },
    Setting {
        name: "command_paths",
        accepted: Text("none, [paths](#paths)"),
        what: "where the origin may [end a session](api.md#end-sessions) with its answer, such as `POST /logout`; written as `bypass_paths`",
    },
    Setting {
        name: "waiting_status",
        accepted: Word,
        what: "status of the waiting page",
    },
    Setting {
        name: "frame_ancestors",
        accepted: Text("none, self, sites such as `https://shop.example`"),
        what: "which sites may show the waiting page in a frame; the cookie is then `SameSite=None; Partitioned`",
    },
    Setting {
        name: "cf_compat",
        accepted: Word,
        what: "whether the waiting JSON also holds the object `cfWaitingRoom`, for apps written for Cloudflare's waiting room",
    },
    Setting {
        name: "cors_origins",
        accepted: Text("none, origins such as `https://app.shop.example`"),
        what: "whose pages may read the waiting answer by script",
    },
    Setting {
        name: "cross_site_posts",
        accepted: Word,
        what: "whether a form that another site posts, such as a bank's after a payment, reaches the origin for visitors inside; their ticket then has a twin, the cookie `__Host-queue-post`",
    },
    Setting {
        name: "cookie_domain",
        accepted: Text("none, a domain in lower case such as `shop.example`"),
        what: "on which hosts a visitor has one place: this domain and all below it, [by one cookie](ticket.md#one-place-on-several-hosts). With `none` each host has places of its own",
    },
    Setting {
        name: "origin_cookie",
        accepted: Word,
        what: "whether the origin sees our cookie",
    },
    Setting {
        name: "websockets",
        accepted: Word,
        what: "whether WebSockets of visitors inside, and on paths that skip the room, are handed over to the origin; needs Fastly's product WebSockets on the service",
    },
    Setting {
        name: "on_store_error",
        accepted: Word,
        what: "what happens to visitors who have not been admitted while the store does not answer. `hold`: they wait; `admit`: they go in for `admit_for`. An open room stays open; on hold or closed none go in",
    },
    Setting {
        name: "admit_for",
        accepted: Number("s"),
        what: "for how long `on_store_error` = `admit` lets a visitor in",
    },
    Setting {
        name: "permit_max",
        accepted: Number("visitors"),
        what: "the most visitors that one press of the button or one call of the API lets in",
    },
    Setting {
        name: "credit_max",
        accepted: Number("visitors"),
        what: "the most credit that is kept: what was let in beyond the waiting visitors, for the next arrivals",
    },
    Setting {
        name: "log_sample",
        accepted: Number("polls"),
        what: "of the polls of waiting visitors, one in this many is logged; everything else always is",
    },
    Setting {
        name: "log_query",
        accepted: Word,
        what: "whether `requestUrl` in the log holds the query too, which may carry secrets of your site's own links",
    },
    Setting {
        name: "backend_calls",
        accepted: Number("requests"),
        what: "the most requests of one sandbox to the origin and to the store; trial accounts have 10",
    },
    Setting {
        name: "clock",
        accepted: Number("s"),
        what: "on the local server only: shifts the clocks of the edge and of the scripts, so that a test need not wait; not read when deployed",
    },
    Setting {
        name: "brand_name",
        accepted: Text("1–60 characters without controls"),
        what: "your name, on top of the waiting page and in its title",
    },
    Setting {
        name: "brand_colors",
        accepted: Text("`#rrggbb`, or two of them: for light pages and for dark ones"),
        what: "the colours of the page's band, `#c8371b,#ff9a73` unless set; the text keeps its own colours, and their contrast",
    },
    Setting {
        name: "brand_logo",
        accepted: Text(
            "`data:image/` with svg+xml, png, jpeg, webp or gif, at most 6 000 characters, percent-encoded or base64, without quotes, `<`, `>` and spaces",
        ),
        what: "your logo, sent with the page",
    },
    Setting {
        name: "heading",
        accepted: Text("1–120 characters without controls"),
        what: "replaces the page's heading",
    },
    Setting {
        name: "message",
        accepted: Text("1–200 characters without controls"),
        what: "what you tell waiting visitors, on the page and as `message` in its JSON",
    },
    Setting {
        name: "template",
        accepted: Text("at most 8 000 characters"),
        what: "[your own page](../how-to/write-your-own-page.md); a broken one is refused and logged, and the built-in page serves",
    },
    Setting {
        name: "upstash_url",
        accepted: Text("`https://` and a host, such as `https://eu1-name.upstash.io`"),
        what: "the REST address of the Upstash Redis; required",
    },
];
