//! Rules of the journal: what each line may say behind the one in front of it.

use now_serving::queue::journal::{JournalKind, JournalLane, JournalLine};

/// While visitors wait, one period that no request saw is opened with the next: only where it is no longer than this.
const LONGEST_MADE_UP_SECS: u64 = 15;

/// So long after a publication a POP may still go by the pace before.
const READ_EVERYWHERE_MS: u64 = 60_000;

/// Fault of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// In words, without a stop.
    pub found: String,
    /// Whether more visitors went in than the pace on the line allows. A later line may have another pace, by which the line
    /// is right: the document changed, and a POP had not read it.
    pub is_over_its_pace: bool,
}

/// Fault of this line behind the one in front of it, where that one is known.
#[must_use]
pub fn wrong_with(line: &JournalLine<'_>, before: Option<&JournalLine<'_>>) -> Option<Wrong> {
    let own = || alone(line).or_else(|| behind(line, before?));
    let wrong = |found| Wrong {
        found,
        is_over_its_pace: false,
    };
    let over = || {
        over_budget(line, before?).map(|found| Wrong {
            found,
            is_over_its_pace: true,
        })
    };
    own().map(wrong).or_else(over)
}

/// Fault of an order by lot, where the lines in front of it are known: between the seal, which says what the lot is about, and the lot
/// nothing may move the cursor. Else its operator could choose among as many orders, after the public value is known.
pub fn wrong_with_lot<'a>(
    lot: &JournalLine<'a>,
    before: impl Fn(&JournalLine<'a>) -> Option<JournalLine<'a>>,
) -> Option<String> {
    if lot.kind != JournalKind::Lot {
        return None;
    }
    let mut has_moved = false;
    for line in std::iter::successors(before(lot), &before) {
        if line.kind == JournalKind::Seal {
            let number = line.number;
            return has_moved.then(|| {
                format!("the cursor moved between the seal in line {number} and this lot")
            });
        }
        // A copy knew of the seal.
        if comes_back(&line) {
            return None;
        }
        has_moved |= line.lanes().any(|of| of.from != of.to);
    }
    None
}

/// Fault behind a line of the stock: more visitors were called than it says, until the next one, or until the line came back, since what
/// older data called no line behind it tells.
pub fn wrong_with_stock<'a>(
    report: &JournalLine<'_>,
    behind: impl Iterator<Item = &'a JournalLine<'a>>,
) -> Option<String> {
    let stock: u64 = stock_of(report)?.parse().ok()?;
    let mut called = 0_u64;
    for line in behind.take_while(|line| stock_of(line).is_none() && !comes_back(line)) {
        let is_call = matches!(
            line.kind,
            JournalKind::Release | JournalKind::Straight | JournalKind::Permit
        );
        let moved = |lane: &JournalLane| lane.to.saturating_sub(lane.from);
        let lanes = std::iter::once(&line.main).chain(line.groups.values());
        called += u64::from(is_call) * lanes.map(moved).sum::<u64>();
        if called > stock {
            let number = line.number;
            return Some(format!(
                "by line {number} {called} were called of a stock of {stock}"
            ));
        }
    }
    None
}

/// What a line says of the stock.
fn stock_of<'a>(line: &JournalLine<'a>) -> Option<&'a str> {
    let is_change = line.kind == JournalKind::Change;
    line.what.strip_prefix("stock:").filter(|_| is_change)
}

/// Whether a line keeps to the pace on a later line.
#[must_use]
pub fn keeps_to_the_pace_of(
    line: &JournalLine<'_>,
    later: &JournalLine<'_>,
    before: &JournalLine<'_>,
) -> bool {
    over_budget(&by_the_pace_of(line, later), before).is_none()
}

/// Whether a later line may have the pace by which another POP wrote this one, and those behind it, too. What an operator sets
/// holds from its own line on.
#[must_use]
pub fn may_explain(line: &JournalLine<'_>, later: &JournalLine<'_>) -> bool {
    let until = line.at_ms.saturating_add(READ_EVERYWHERE_MS);
    let is_set = later.kind == JournalKind::Change && later.what.starts_with("pace:");
    later.at_ms <= until && !is_set && !comes_back(later)
}

/// The line as it would be by the pace of the other.
fn by_the_pace_of<'a>(line: &JournalLine<'a>, other: &JournalLine<'a>) -> JournalLine<'a> {
    JournalLine {
        automatic: other.automatic,
        most: other.most,
        ..line.clone()
    }
}

/// Whether the line is what a copy or a ticket brought back: its numbers follow from none before.
#[must_use]
pub fn comes_back(line: &JournalLine<'_>) -> bool {
    matches!(
        line.kind,
        JournalKind::Begin | JournalKind::Loss | JournalKind::Restore
    )
}

/// Fault of a line by itself.
fn alone(line: &JournalLine<'_>) -> Option<String> {
    let passes = |lane: JournalLane| lane.to > lane.length;
    let falls = |lane: JournalLane| lane.to < lane.from;
    let moves = |lane: JournalLane| lane.to != lane.from;
    if line.lanes().any(passes) {
        return Some("the cursor passes the length".into());
    }
    if !comes_back(line) && line.lanes().any(falls) {
        return Some("the cursor falls".into());
    }
    let may_move = !matches!(
        line.kind,
        JournalKind::Change | JournalKind::Seal | JournalKind::Lot
    );
    (!may_move && line.lanes().any(moves)).then(|| "nothing of this moves the cursor".into())
}

/// Fault of a line behind the one in front of it.
fn behind(line: &JournalLine<'_>, before: &JournalLine<'_>) -> Option<String> {
    if line.number != before.number + 1 {
        let number = before.number;
        return Some(format!("it follows line {number}"));
    }
    match line.kind {
        JournalKind::Begin => return begun_anew(line, before),
        JournalKind::Loss => return None,
        _ => {}
    }
    let mut lanes = line.lanes_beside(before);
    if lanes.any(|(lane, before)| lane.from != before.to) {
        return Some("the cursor moved without a line".into());
    }
    if comes_back(line) {
        return None;
    }
    let mut lanes = line.lanes_beside(before);
    if lanes.any(|(lane, before)| lane.length < before.length) {
        return Some("numbers were taken back".into());
    }
    None
}

/// A journal that begins anew behind other lines has lost the line, and begins with nothing, or has lost only itself, and goes on
/// where the line in front of it left off.
fn begun_anew(line: &JournalLine<'_>, before: &JournalLine<'_>) -> Option<String> {
    let is_nothing = line.lanes().all(|lane| lane == JournalLane::default());
    let goes_on = |(lane, before): (JournalLane, JournalLane)| {
        lane.from == before.to && lane.to == lane.from && lane.length >= before.length
    };
    let is_told = is_nothing || line.lanes_beside(before).all(goes_on);
    let cursor = line.main.to;
    (!is_told).then(|| {
        format!("it begins anew at the cursor {cursor}, and no line says how the cursor came there")
    })
}

/// Visitors who went in by no rule.
fn over_budget(line: &JournalLine<'_>, before: &JournalLine<'_>) -> Option<String> {
    if comes_back(line) {
        return None;
    }
    let moved = |lane: JournalLane| lane.to.saturating_sub(lane.from);
    let released: u64 = line.lanes().map(moved).sum();
    let (allowed, granted) = match line.kind {
        JournalKind::Permit => match permitted(line) {
            Some(permitted) => permitted,
            None => return Some("its words are not those of a permit".into()),
        },
        JournalKind::Release | JournalKind::Straight if line.rule == "open" => return None,
        JournalKind::Release => (by_pace(line, before, missed(line, before)), 0),
        JournalKind::Straight => (by_pace(line, before, passed(line, before)), 0),
        _ => return None,
    };
    // A permit keeps its own account; the others use credit before the budget.
    let Some(used) = (before.credit + granted).checked_sub(line.credit) else {
        return Some("credit came from nowhere".into());
    };
    let allowed = match line.kind {
        JournalKind::Permit if used > 0 => {
            return Some("a permit does not add up to the credit".into());
        }
        JournalKind::Permit => allowed,
        _ => allowed + used,
    };
    (released > allowed).then(|| format!("{released} went in, {allowed} were allowed"))
}

/// Visitors whom a permit let in, and what it added to the credit; nothing where its words are not those of a permit.
fn permitted(line: &JournalLine<'_>) -> Option<(u64, u64)> {
    if line.what == "jump" {
        return Some((1, 0));
    }
    let words: Vec<u64> = (line.what.split(':').map(str::parse))
        .collect::<Result<_, _>>()
        .ok()?;
    match words[..] {
        [amount, released, kept] => Some((released.min(amount), kept)),
        _ => None,
    }
}

/// Periods of that length that one request may open.
pub(crate) fn at_once(automatic: u64) -> u64 {
    if automatic <= LONGEST_MADE_UP_SECS {
        2
    } else {
        1
    }
}

/// Periods that a release may have opened since.
fn missed(line: &JournalLine<'_>, before: &JournalLine<'_>) -> u64 {
    let automatic = line.automatic.max(1);
    let most = at_once(automatic);
    let since = match (line.period, before.period) {
        (None, _) => return 0,
        (Some(now), Some(then)) if now == then => return 0,
        (Some(now), Some(then)) => now.saturating_sub(then) / automatic,
        (Some(_), None) => most,
    };
    since.min(most).max(1)
}

/// Periods that went by while visitors went straight in.
fn passed(line: &JournalLine<'_>, before: &JournalLine<'_>) -> u64 {
    if line.period == before.period {
        return 0;
    }
    let automatic = line.automatic.min(before.automatic).max(1);
    line.at_ms.saturating_sub(before.at_ms) / (automatic * 1000) + 2
}

/// Visitors that the pace allows: the remainder of the period, or the budgets of those since.
fn by_pace(line: &JournalLine<'_>, before: &JournalLine<'_>, periods: u64) -> u64 {
    let most = line.most.max(before.most);
    match periods {
        0 => before.left,
        // A budget has at most the remainder of the one before on top, which is less than a visitor.
        periods if line.kind == JournalKind::Release => periods * most + 1,
        periods => before.left + periods * most + 1,
    }
}
