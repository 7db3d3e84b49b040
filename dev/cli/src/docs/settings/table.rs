//! The one home of what is said of each setting. Default, range and words come from the schema, which is held against the
//! service.

use super::Accepted::{Number, Text, Word};
use super::{Group, Setting};

/// In the order of the docs. Texts are Markdown, with links from `docs/reference`.
pub(super) const GROUPS: &[Group] = &[
    Group {
        title: "Required",
        is_more: false,
        settings: &[Setting {
            name: "upstash_url",
            accepted: Text("`https://` and a host, such as `https://eu1-name.upstash.io`"),
            what: "the REST address of the Upstash Redis; required",
        }],
    },
    Group {
        title: "The line",
        is_more: false,
        settings: &[
            Setting {
                name: "automatic",
                accepted: Number("s"),
                what: "length of a period. 0: no visitor goes in by schedule; the line moves only by operators and by your site",
            },
            Setting {
                name: "automatic_quantity",
                accepted: Number("visitors"),
                what: "how many visitors go in per period",
            },
            Setting {
                name: "total_active",
                accepted: Number("sessions"),
                what: "[a cap](../explanation/the-cap.md): how many visitors may be inside at a time. 0: no cap. Operators may [set it](api.md) while the line moves, and `session_minutes` and `claim_seconds`",
            },
            Setting {
                name: "session_minutes",
                accepted: Number("min"),
                what: "with a cap: a session ends that long after the visitor's last visit. A time shorter than a payment with 3-D Secure throws payers out",
            },
            Setting {
                name: "event",
                accepted: Text(
                    "an object with `id`, `opens` and maybe other members, or a list of up to 16 in the order of their times",
                ),
                what: "one or more events that [begin by themselves](../how-to/run-an-event.md#an-event-that-begins-by-itself). Times have their offset from UTC, such as `2030-01-31T10:00:00+01:00`. From `prequeue` on visitors draw numbers, from `opens` on they go in, from `closes` on no new visitor does. Keep the `id`, of 1–32 letters, digits, `-` and `_`, when the times change: another one begins a new line. [The other members](../how-to/events.md#the-members)",
            },
            Setting {
                name: "turn_minutes",
                accepted: Number("min"),
                what: "for how long after the call [a turn](../explanation/fairness.md#the-order) is valid, up to a twelfth longer; 0: as long as the ticket; else at least 5. A visitor who comes later draws again",
            },
            Setting {
                name: "profile",
                accepted: Word,
                what: "other defaults for several settings at once; a setting that you give wins over them. `observe`: everything is measured, and nothing acts: `origin_health`, `adaptive_pace`, `absent_visitors`, `active_visitors`, `shared_tickets`, `network_bound` and each of the `signals` are `observe`, and `on_origin_error` is `pass`. `sale`: `origin_health` and `absent_visitors` are `on`, `on_origin_error` is `keep`, `network_bound` is `challenge`, and `adaptive_pace` is `observe`",
            },
        ],
    },
    Group {
        title: "What is protected",
        is_more: false,
        settings: &[
            Setting {
                name: "protected_paths",
                accepted: Text("[paths](settings.md#paths)"),
                what: "what the room is for. With `/checkout` or `/tickets/*` the rest of the site skips the room",
            },
            Setting {
                name: "bypass_paths",
                accepted: Text("none, [paths](settings.md#paths)"),
                what: "what skips the room: health checks, webhooks, pictures. A list of yours replaces the default",
            },
            Setting {
                name: "cookie_domain",
                accepted: Text("none, a domain in lower case such as `shop.example`"),
                what: "one place for all hosts of this domain, [by one cookie](../deep/ticket.md#one-place-on-several-hosts). `none`: each host has places of its own",
            },
            Setting {
                name: "origin_host",
                accepted: Text("none, a host name in lower case, without port"),
                what: "the `Host` that your site gets in place of the visitor's: for a site [on a platform or behind a CDN](../how-to/use-an-origin-that-goes-by-host.md). An `override_host` of the backend wins over it",
            },
        ],
    },
    Group {
        title: "The page",
        is_more: false,
        settings: &[
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
                what: "[your own page](../how-to/write-your-own-page.md). If it is broken, the built-in page is served",
            },
            Setting {
                name: "waiting_status",
                accepted: Word,
                what: "status of the waiting page",
            },
            Setting {
                name: "refresh_interval",
                accepted: Number("s"),
                what: "time between two polls near the front; far away it grows to 30 s",
            },
        ],
    },
    Group {
        title: "When something fails",
        is_more: false,
        settings: &[
            Setting {
                name: "on_store_error",
                accepted: Word,
                what: "what happens to visitors who are not inside while the store does not answer. `hold`: they wait; `admit`: they go in for `admit_for`. On hold or closed none go in",
            },
            Setting {
                name: "admit_for",
                accepted: Number("s"),
                what: "for how long `on_store_error` = `admit` lets a visitor in",
            },
            Setting {
                name: "origin_health",
                accepted: Word,
                what: "what is done about [how the origin answers](../explanation/health-and-pace.md). `observe`: it is watched and shown; `on`: no new visitor goes in for 40–60 s once the origin is sick",
            },
            Setting {
                name: "on_origin_error",
                accepted: Word,
                what: "what a called visitor gets if the origin answers with 500 or above. `pass`: that answer; `keep`: the waiting page, and the place is kept",
            },
        ],
    },
    Group {
        title: "Operators",
        is_more: false,
        settings: &[
            Setting {
                name: "admin_path",
                accepted: Text("a path, neither `/` nor with `/` at its end"),
                what: "where the panel and the API are",
            },
            Setting {
                name: "admin_host",
                accepted: Text("none, a host name in lower case, without port"),
                what: "the only host with the panel and the API, such as `queue.shop.example`, which visitors never use: [a host for operators](../how-to/give-operators-a-host.md)",
            },
            Setting {
                name: "operators_acl",
                accepted: Text(
                    "none, the name by which a Compute ACL is linked: 1–64 letters, digits, `-`, `_`",
                ),
                what: "from which networks people may use the panel and the API: those that the ACL allows. Programs with a token and `healthz` are not asked. If the ACL cannot be asked, no person gets in",
            },
            Setting {
                name: "permit_max",
                accepted: Number("visitors"),
                what: "the most visitors that one press of the button or one call of the API lets in",
            },
        ],
    },
    Group {
        title: "Rooms and origins",
        is_more: true,
        settings: &[
            Setting {
                name: "room",
                accepted: Text("1–64 letters, digits, `-`, `_`"),
                what: "names the room: part of the store's keys and of every ticket",
            },
            Setting {
                name: "rooms",
                accepted: Text(
                    "a list of up to 50 objects, each with `name`, one or more of `hosts`, `paths`, `countries` and `when`, maybe `shares`, and any of the settings in which rooms may differ",
                ),
                what: "[rooms besides the first](rooms.md), each with a line of its own: which requests are for it, and in which settings it differs",
            },
            Setting {
                name: "backend",
                accepted: Text(
                    "the name of a backend of the service: 1–64 letters, digits, `-`, `_` and `.`; not `upstash`",
                ),
                what: "where [the requests of a room](rooms.md#a-backend-of-its-own) go, except for visitors inside whose region has [a backend of its own](../deep/regions.md#a-backend-of-its-own)",
            },
            Setting {
                name: "regions",
                accepted: Text(
                    "none, a list of 1–16 objects, each with `name`, either `countries` or `pops`, and maybe `share`, a percent, and `backend`, a name, with `origin_host`, its host",
                ),
                what: "[regions](../deep/regions.md) with lines of their own, which share each release by fixed shares, or by how many visitors came to each",
            },
            Setting {
                name: "regions_lag",
                accepted: Number("min"),
                what: "which complete minute says how many came to each region: the last one, or the one before",
            },
        ],
    },
    Group {
        title: "Tickets and visits",
        is_more: true,
        settings: &[
            Setting {
                name: "ticket_life",
                accepted: Number("s"),
                what: "life of a waiting ticket. A poll renews it when less than half or 70 s is left, so it ends at the earliest half as long after the last poll",
            },
            Setting {
                name: "cookie_expiry",
                accepted: Number("s"),
                what: "how long an admitted visitor stays inside. With a cap the session decides that",
            },
            Setting {
                name: "session_renewal",
                accepted: Word,
                what: "with a cap: whether a visit makes its session longer. `off`: a session lasts `session_minutes` from the claim",
            },
            Setting {
                name: "longest_stay_minutes",
                accepted: Text("0, or 2–1440 min and not less than `session_minutes`"),
                what: "with a cap: how long a visitor is inside at most after the claim, to the end of the last minute; then the visitor draws again. 0: any time. Longer sessions set by operators count in full",
            },
            Setting {
                name: "claim_seconds",
                accepted: Number("s"),
                what: "with a cap: how long a slot is kept for a called visitor. Then it goes to the next; the turn stays",
            },
            Setting {
                name: "active_visitors",
                accepted: Word,
                what: "whether the cap holds visitors back. `observe` only counts sessions",
            },
            Setting {
                name: "shared_tickets",
                accepted: Word,
                what: "under a cap, what is done if more networks than `ticket_networks` use one admitted ticket, in one data centre and one session. `observe`: it is counted and logged; `on`: visitors of further networks go to the back of the line",
            },
            Setting {
                name: "ticket_networks",
                accepted: Number("networks"),
                what: "from how many networks one admitted ticket may be used. A phone may use three within an hour",
            },
            Setting {
                name: "credit_max",
                accepted: Number("visitors"),
                what: "the most credit that is kept for the next arrivals: what was let in beyond the waiting visitors",
            },
        ],
    },
    Group {
        title: "Health and pace",
        is_more: true,
        settings: &[
            Setting {
                name: "slow_ms",
                accepted: Number("ms"),
                what: "an answer of the origin that takes longer is late",
            },
            Setting {
                name: "sick_min",
                accepted: Number("answers"),
                what: "the origin is sick only from this number of late and bad answers on",
            },
            Setting {
                name: "sick_share",
                accepted: Number("%"),
                what: "the origin is sick only from this share of late and bad answers on",
            },
            Setting {
                name: "watch_documents",
                accepted: Number("pages"),
                what: "of the pages that visitors inside ask for, one in this many is watched; 0: none, only first admissions",
            },
            Setting {
                name: "probe_path",
                accepted: Text("none, a path of at most 200 characters without a query"),
                what: "what the edge itself [asks the origin for](../explanation/health-and-pace.md#the-health-of-the-origin), at most once a second in each data centre, as a GET with the host of that visitor, or `origin_host`, and no other header of theirs. Take a page that needs no ticket and what your pages need, such as the database",
            },
            Setting {
                name: "adaptive_pace",
                accepted: Word,
                what: "whether the pace [follows the share of late answers](../explanation/health-and-pace.md#a-pace-that-follows-the-origin); needs `origin_health` `observe` or `on`",
            },
            Setting {
                name: "window_min",
                accepted: Number("visitors"),
                what: "the fewest visitors of a period, where the pace follows the answers, and of the first period after a sickness; never more than `window_max`",
            },
            Setting {
                name: "window_max",
                accepted: Number("visitors"),
                what: "the most visitors of a period, where the pace follows the answers; 0: as many as the pace has",
            },
            Setting {
                name: "absent_visitors",
                accepted: Word,
                what: "what is done about called visitors [who do not come](../explanation/health-and-pace.md#visitors-who-do-not-come). `observe`: their share is measured and shown; `on`: the pace calls more visitors. `on` is for periods of at most 60 s, and not for many latecomers or bots",
            },
        ],
    },
    Group {
        title: "One person, one place",
        is_more: true,
        settings: &[
            Setting {
                name: "network_bound",
                accepted: Word,
                what: "what is done if a network has drawn `network_draws` numbers within an hour. `observe`: further draws are counted and logged; `challenge`: a further number is drawn [after a calculation or a wait](../how-to/one-person-one-place.md). No visitor is refused",
            },
            Setting {
                name: "network_draws",
                accepted: Number("numbers"),
                what: "how many numbers one network may draw within an hour of its first draw. A mobile provider may have many visitors behind one network",
            },
            Setting {
                name: "signals",
                accepted: Text(
                    "an object with `bot`, `hosting`, `anonymous` and `ddos`, each `ignore`, `observe`, `challenge` or `refuse`",
                ),
                what: "what is done about a visitor without a number of whom Fastly says [one of these](../how-to/one-person-one-place.md#signals). `observe`: counted and logged; `challenge`: a calculation or a wait comes first; `refuse`: no number, and 403. Of several the strictest counts",
            },
            Setting {
                name: "verifier",
                accepted: Text(
                    "none, an address such as `https://verify.shop.example/queue`, or a path of this site such as `/verify` that `bypass_paths` has, too; at most 200 characters, without a query",
                ),
                what: "your own page that [tests challenged visitors](../how-to/verifier.md), in place of the calculation. It signs with the key of `cargo dev secret verifier`",
            },
        ],
    },
    Group {
        title: "Past the line",
        is_more: true,
        settings: &[
            Setting {
                name: "bypass_when",
                accepted: Text("none, a list of up to 16 [conditions](conditions.md)"),
                what: "a request that meets one of these skips every room. Any client can send what a condition asks for, except for its `country`: it is a convenience and no lock",
            },
            Setting {
                name: "allow_acl",
                accepted: Text(
                    "none, the name by which a Compute ACL is linked: 1–64 letters, digits, `-`, `_`",
                ),
                what: "the networks of [monitors and partners](../how-to/monitors-and-partners.md), whose requests go to the origin without a ticket",
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
                what: "the [groups](../how-to/invite.md#groups) that invitations open, by rank, each with its share of each release while lower ones wait. Without a group and with `invited_per_minute` 0 no invitation is accepted",
            },
            Setting {
                name: "invitations_revoked",
                accepted: Text(
                    "none, up to 100 names of batches, separated by commas or spaces: each 1–32 letters, digits, `-`, `_`",
                ),
                what: "the batches of [invitations](../how-to/invite.md) that are no longer valid",
            },
        ],
    },
    Group {
        title: "Requests and answers",
        is_more: true,
        settings: &[
            Setting {
                name: "cache_paths",
                accepted: Text("none, [paths](settings.md#paths)"),
                what: "what Fastly's cache may keep and show to several visitors, such as `/assets/*`. Nothing is kept with `backend` or `origin_host`",
            },
            Setting {
                name: "command_paths",
                accepted: Text("none, [paths](settings.md#paths)"),
                what: "where your site may [end a session](api.md#end-sessions) with its answer, such as `POST /logout`",
            },
            Setting {
                name: "frame_ancestors",
                accepted: Text("none, self, sites such as `https://shop.example`"),
                what: "which sites may show the waiting page in a frame. The cookie is then `SameSite=None; Partitioned`",
            },
            Setting {
                name: "cors_origins",
                accepted: Text("none, origins such as `https://app.shop.example`"),
                what: "whose pages may read the waiting answer by script",
            },
            Setting {
                name: "cf_compat",
                accepted: Word,
                what: "whether the waiting JSON also has the object `cfWaitingRoom`, for apps written for Cloudflare's waiting room",
            },
            Setting {
                name: "cross_site_posts",
                accepted: Word,
                what: "whether a form that another site posts, such as a bank's after a payment, reaches your site for visitors inside, by a second cookie `__Host-queue-post`",
            },
            Setting {
                name: "origin_cookie",
                accepted: Word,
                what: "whether the origin sees our cookie",
            },
            Setting {
                name: "websockets",
                accepted: Word,
                what: "whether WebSockets of visitors inside, and on paths that skip the room, go to your site. Needs Fastly's product WebSockets",
            },
            Setting {
                name: "waf",
                accepted: Word,
                what: "whether the edge asks [Fastly's Next-Gen WAF](../how-to/waf.md). `inspect`: about the request by which a visitor goes in, and about each whose method is not GET, HEAD or OPTIONS. It has never run on Fastly",
            },
            Setting {
                name: "waf_workspace",
                accepted: Text(
                    "none, `CORP/WORKSPACE`: each 1–128 letters, digits, `-`, `_` and `.`",
                ),
                what: "the two names by which the Next-Gen WAF knows the site: the account's and the workspace's. Required with `waf` = `inspect`",
            },
            Setting {
                name: "on_waf_error",
                accepted: Word,
                what: "what happens to a request if the Next-Gen WAF cannot be asked, or gives no verdict that is known here. `pass`: it goes to the origin; `block`: it is stopped",
            },
        ],
    },
    Group {
        title: "Log",
        is_more: true,
        settings: &[
            Setting {
                name: "log_sample",
                accepted: Number("polls"),
                what: "of the polls of waiting visitors, one in this many is logged; everything else always is",
            },
            Setting {
                name: "log_query",
                accepted: Word,
                what: "whether `requestUrl` in the log has the query too, which may hold secrets of your site's links",
            },
        ],
    },
    Group {
        title: "For movers and developers",
        is_more: true,
        settings: &[
            Setting {
                name: "kit",
                accepted: Text("none, what `cargo dev migrate` printed"),
                what: "the line of Fastly's starter kit that [the first room took over](../how-to/migrate.md#take-over-the-line). Before the time `until` a visitor with a ticket of the kit has the same number here, if it is none above `numbers`. The line was born at `born`, in milliseconds",
            },
            Setting {
                name: "backend_calls",
                accepted: Number("requests"),
                what: "the most requests of one sandbox to the origin and to the store; trial accounts have 10",
            },
            Setting {
                name: "clock",
                accepted: Number("s"),
                what: "only on the local server: shifts the clocks of the edge and of the scripts",
            },
        ],
    },
];
