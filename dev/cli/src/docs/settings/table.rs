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
            what: "the REST address of the Upstash Redis",
        }],
    },
    Group {
        title: "The line",
        is_more: false,
        settings: &[
            Setting {
                name: "automatic",
                accepted: Number("s"),
                what: "length of a period. 0: only operators and your site move the line",
            },
            Setting {
                name: "automatic_quantity",
                accepted: Number("visitors"),
                what: "visitors who go in per period",
            },
            Setting {
                name: "total_active",
                accepted: Number("sessions"),
                what: "[a cap](../explanation/the-cap.md): the most visitors inside at a time. 0: no cap",
            },
            Setting {
                name: "session_minutes",
                accepted: Number("min"),
                what: "with a cap: how long a session lasts after the last visit. Make it longer than a payment with 3-D Secure",
            },
            Setting {
                name: "event",
                accepted: Text(
                    "an object with `id`, `opens` and [more](../how-to/events.md#the-members), or a list of up to 16",
                ),
                what: "[events](../how-to/run-an-event.md#an-event-that-begins-by-itself) that begin by themselves. Keep the `id` when times change: another one begins a new line",
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
                what: "what the room is for; the rest of the site skips it",
            },
            Setting {
                name: "bypass_paths",
                accepted: Text("none, [paths](settings.md#paths)"),
                what: "what skips the room, such as health checks, webhooks and pictures. Your list replaces the default",
            },
            Setting {
                name: "origin_host",
                accepted: Text("none, a host name in lower case, without port"),
                what: "the `Host` that your site gets in place of the visitor's, [on a platform or behind a CDN](../how-to/use-an-origin-that-goes-by-host.md)",
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
                what: "your name, on the page and in its title",
            },
            Setting {
                name: "brand_colors",
                accepted: Text("`#rrggbb`, or two of them: for light pages and for dark ones"),
                what: "colours of the page's band, else `#c8371b,#ff9a73`",
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
                what: "what you tell waiting visitors",
            },
            Setting {
                name: "template",
                accepted: Text("at most 8 000 characters"),
                what: "[your own page](../how-to/write-your-own-page.md). If it is broken, visitors get the built-in page",
            },
            Setting {
                name: "waiting_status",
                accepted: Word,
                what: "status of the waiting page",
            },
            Setting {
                name: "refresh_interval",
                accepted: Number("s"),
                what: "time between two polls near the front",
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
                what: "what visitors outside get while the store does not answer. `hold`: they wait; `admit`: after five seconds each data centre lets in its share of the last pace, unless the room is on hold or closed. An open room lets all in",
            },
            Setting {
                name: "admit_for",
                accepted: Number("s"),
                what: "how long `admit` lets a visitor in",
            },
            Setting {
                name: "origin_health",
                accepted: Word,
                what: "what follows from [how the origin answers](../explanation/health-and-pace.md). `on`: when it gets sick, no new visitor goes in for 40–60 s",
            },
            Setting {
                name: "on_origin_error",
                accepted: Word,
                what: "what a called visitor gets if the origin answers with 500 or above. `keep`: the waiting page, and the place is kept",
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
                what: "the path of the panel and the API",
            },
            Setting {
                name: "admin_host",
                accepted: Text("none, a host name in lower case, without port"),
                what: "the only host of the panel and the API, [which visitors never use](../how-to/give-operators-a-host.md)",
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
                what: "names the room, in the store's keys and in every ticket",
            },
            Setting {
                name: "rooms",
                accepted: Text("a list of up to 50 objects"),
                what: "[rooms besides the first](rooms.md), each with a line of its own",
            },
            Setting {
                name: "backend",
                accepted: Text("the name of a backend of the service, not `upstash`"),
                what: "where [the requests of a room](rooms.md#a-backend-of-its-own) go",
            },
            Setting {
                name: "regions",
                accepted: Text("none, a list of 1–16 objects"),
                what: "[regions](../deep/regions.md) with lines of their own",
            },
            Setting {
                name: "regions_lag",
                accepted: Number("min"),
                what: "which complete minute says how many came to each region",
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
                what: "life of a waiting ticket, from the last poll that renewed it",
            },
            Setting {
                name: "turn_minutes",
                accepted: Number("min"),
                what: "how long [a turn](../explanation/fairness.md#the-order) is valid after the call; later the visitor draws again. 0: as long as the ticket; else at least 5",
            },
            Setting {
                name: "cookie_expiry",
                accepted: Number("s"),
                what: "how long an admitted visitor stays inside without a cap",
            },
            Setting {
                name: "cookie_domain",
                accepted: Text("none, a domain in lower case such as `shop.example`"),
                what: "[one place](../deep/ticket.md#one-place-on-several-hosts) for all hosts of this domain",
            },
            Setting {
                name: "session_renewal",
                accepted: Word,
                what: "with a cap: whether a visit prolongs its session",
            },
            Setting {
                name: "longest_stay_minutes",
                accepted: Text("0, or 2–1440 min and not less than `session_minutes`"),
                what: "with a cap: the longest time inside; then the visitor draws again. 0: any time",
            },
            Setting {
                name: "claim_seconds",
                accepted: Number("s"),
                what: "with a cap: how long a slot is kept for a called visitor. The turn stays",
            },
            Setting {
                name: "active_visitors",
                accepted: Word,
                what: "whether the cap holds visitors back, or only counts sessions",
            },
            Setting {
                name: "shared_tickets",
                accepted: Word,
                what: "under a cap, what happens if more than `ticket_networks` networks use one admitted ticket. `on`: further networks go to the back of the line",
            },
            Setting {
                name: "ticket_networks",
                accepted: Number("networks"),
                what: "networks from which one admitted ticket may be used",
            },
            Setting {
                name: "credit_max",
                accepted: Number("visitors"),
                what: "the most [credit](../glossary.md) that is kept for the next arrivals",
            },
        ],
    },
    Group {
        title: "Health and pace",
        is_more: true,
        settings: &[
            Setting {
                name: "profile",
                accepted: Word,
                what: "other defaults for settings that you do not set. `observe`: the line works, and the rest only measures: `origin_health`, `adaptive_pace`, `absent_visitors`, `active_visitors`, `shared_tickets`, `network_bound` and each of the `signals` are `observe`, and `on_origin_error` is `pass`. `sale`: `origin_health` and `absent_visitors` are `on`, `on_origin_error` is `keep`, `network_bound` is `challenge`, and `adaptive_pace` is `observe`",
            },
            Setting {
                name: "slow_ms",
                accepted: Number("ms"),
                what: "an answer of the origin that takes longer is late",
            },
            Setting {
                name: "sick_min",
                accepted: Number("answers"),
                what: "the origin is sick only with so many late and bad answers",
            },
            Setting {
                name: "sick_share",
                accepted: Number("%"),
                what: "the origin is sick only with this share of late and bad answers",
            },
            Setting {
                name: "watch_documents",
                accepted: Number("pages"),
                what: "of the pages that visitors inside ask for, one in so many is watched. 0: none",
            },
            Setting {
                name: "probe_path",
                accepted: Text("none, a path of at most 200 characters without a query"),
                what: "what the edge itself [asks the origin for](../explanation/health-and-pace.md#the-health-of-the-origin): a page that needs no ticket, and what your pages need, such as the database",
            },
            Setting {
                name: "adaptive_pace",
                accepted: Word,
                what: "whether the pace [follows the share of late answers](../explanation/health-and-pace.md#a-pace-that-follows-the-origin); needs `origin_health` `observe` or `on`",
            },
            Setting {
                name: "window_min",
                accepted: Number("visitors"),
                what: "with `adaptive_pace`: the fewest visitors of a period; also of the first after a sickness",
            },
            Setting {
                name: "window_max",
                accepted: Number("visitors"),
                what: "with `adaptive_pace`: the most visitors of a period. 0: as many as the pace has",
            },
            Setting {
                name: "absent_visitors",
                accepted: Word,
                what: "what is done about called visitors [who do not come](../explanation/health-and-pace.md#visitors-who-do-not-come). `on`: the pace calls more",
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
                what: "what happens above `network_draws`. `challenge`: further numbers come [after a calculation or a wait](../how-to/one-person-one-place.md)",
            },
            Setting {
                name: "network_draws",
                accepted: Number("numbers"),
                what: "numbers that one network may draw within an hour. A mobile provider may have many visitors behind one network",
            },
            Setting {
                name: "signals",
                accepted: Text(
                    "an object with `bot`, `hosting`, `anonymous` and `ddos`, each `ignore`, `observe`, `challenge` or `refuse`",
                ),
                what: "what happens to a visitor without a number of whom Fastly says [one of these](../how-to/one-person-one-place.md#signals)",
            },
            Setting {
                name: "verifier",
                accepted: Text(
                    "none, an address such as `https://verify.shop.example/queue`, or a path such as `/verify` that `bypass_paths` has too; at most 200 characters, without a query",
                ),
                what: "your own page that [tests challenged visitors](../how-to/verifier.md) in place of the calculation",
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
                what: "a request that meets one of these skips every room. Any client can send what a condition asks for, except for its `country`",
            },
            Setting {
                name: "allow_acl",
                accepted: Text("none, the name of a linked Compute ACL"),
                what: "networks of [monitors and partners](../how-to/monitors-and-partners.md), which need no ticket",
            },
            Setting {
                name: "invited_per_minute",
                accepted: Number("visitors"),
                what: "visitors who may go straight in by an [invitation](../how-to/invite.md), besides the pace. 0: none",
            },
            Setting {
                name: "priority",
                accepted: Text(
                    "none, a list of at most 16 objects, each with `name` and `share`, a percent; together at most 100 percent",
                ),
                what: "the [groups](../how-to/invite.md#groups) that invitations open, by rank, each with its share of a release while lower ones wait",
            },
            Setting {
                name: "invitations_revoked",
                accepted: Text(
                    "none, up to 100 names of batches with commas or spaces between them",
                ),
                what: "batches of [invitations](../how-to/invite.md) that are no longer valid",
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
                what: "what Fastly's cache may [keep and show to several visitors](../deep/paths.md), such as `/assets/*`. Nothing is kept with `backend` or `origin_host`",
            },
            Setting {
                name: "command_paths",
                accepted: Text("none, [paths](settings.md#paths)"),
                what: "where your site may [end a session](api.md#end-sessions) with its answer, such as `POST /logout`",
            },
            Setting {
                name: "frame_ancestors",
                accepted: Text("none, self, sites such as `https://shop.example`"),
                what: "sites that may show the waiting page in a frame. The cookie is then `SameSite=None; Partitioned`",
            },
            Setting {
                name: "cors_origins",
                accepted: Text("none, origins such as `https://app.shop.example`"),
                what: "whose pages may read the waiting answer by script",
            },
            Setting {
                name: "cf_compat",
                accepted: Word,
                what: "whether the waiting JSON has `cfWaitingRoom` too, for [apps written for Cloudflare](../how-to/use-from-an-app.md)",
            },
            Setting {
                name: "cross_site_posts",
                accepted: Word,
                what: "whether a form of another site, such as a bank's after a payment, [reaches your site](http.md#forms-of-other-sites) for visitors inside",
            },
            Setting {
                name: "origin_cookie",
                accepted: Word,
                what: "whether the origin sees our cookie",
            },
            Setting {
                name: "websockets",
                accepted: Word,
                what: "whether WebSockets of visitors inside, and on paths that skip the room, reach your site. Needs Fastly's product WebSockets",
            },
            Setting {
                name: "waf",
                accepted: Word,
                what: "whether [Fastly's Next-Gen WAF](../how-to/waf.md) is asked about requests that go to your site. It has never run on Fastly",
            },
            Setting {
                name: "waf_workspace",
                accepted: Text("none, `CORP/WORKSPACE`"),
                what: "account and workspace at the WAF. Required with `waf` = `inspect`",
            },
            Setting {
                name: "on_waf_error",
                accepted: Word,
                what: "what happens to a request about which the WAF gave no verdict. `block`: it is stopped",
            },
        ],
    },
    Group {
        title: "Operators and log",
        is_more: true,
        settings: &[
            Setting {
                name: "permit_max",
                accepted: Number("visitors"),
                what: "the most visitors that one press or one call lets in",
            },
            Setting {
                name: "operators_acl",
                accepted: Text("none, the name of a linked Compute ACL"),
                what: "networks from which people may use the panel and the API. Programs with a token are not asked. If the ACL cannot be asked, no person gets in",
            },
            Setting {
                name: "log_sample",
                accepted: Number("polls"),
                what: "of the polls of waiting visitors, one in so many is logged",
            },
            Setting {
                name: "log_query",
                accepted: Word,
                what: "whether `requestUrl` in the log has the query, which may hold secrets of your links",
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
                what: "the line of Fastly's starter kit that [the first room took over](../how-to/migrate.md#take-over-the-line)",
            },
            Setting {
                name: "backend_calls",
                accepted: Number("requests"),
                what: "the most requests of one sandbox; trial accounts have 10",
            },
            Setting {
                name: "clock",
                accepted: Number("s"),
                what: "only on the local server: shifts the clocks of the edge and of the scripts",
            },
        ],
    },
];
