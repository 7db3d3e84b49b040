//! The verdict: the outcome of a visit by what the board or the store showed.
//!
//! Pure: no clock, no cache, no store. What the ticket says afterwards is in `ending`.

use super::seen::BoardRead;
use crate::queue::{AboveBound, Claim, Invited, Mode, Verdict};
use crate::visitor::outcome::VisitOutcome;

/// The outcome for the holder of what was seen.
pub(super) fn verdict(seen: &BoardRead) -> VisitOutcome {
    if seen.invited == Some(Invited::In) {
        return VisitOutcome::Admitted;
    }
    if seen.above == Some(AboveBound::Challenged) {
        return VisitOutcome::Challenged;
    }
    let (board, mode) = (seen.board.of(seen.lane), seen.board.mode());
    let Some(position) = seen.position.filter(|_| mode != Mode::Closed) else {
        return VisitOutcome::Closed;
    };
    // Where a cap holds, a called visitor goes in with a session only. A poll asks for none: `or_offered` says whether the room is
    // really full for it.
    let is_full = board.sessions.is_some() && !matches!(seen.claim, Some(Claim::Session(_)));
    match board.verdict(position) {
        Verdict::Wait { ahead } => VisitOutcome::Waiting { ahead },
        Verdict::Admit if !mode.lets_in() => VisitOutcome::Called,
        Verdict::Admit if is_full => VisitOutcome::Full,
        Verdict::Admit => VisitOutcome::Admitted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Board, Live, Position, Sessions, Stretch};

    /// A visitor with this number in a room whose board shows two of nine.
    fn seen(mode: Mode, position: Option<u64>) -> BoardRead {
        let board = Board {
            rolls: vec![Stretch::new(0, 2, 9)],
            live: Live {
                mode,
                ..Live::default()
            },
            ..Board::default()
        };
        BoardRead::new(board, position.map(Position))
    }

    fn capped(seen: BoardRead, claim: Option<Claim>) -> BoardRead {
        let board = Board {
            sessions: Some(Sessions::default()),
            ..seen.board
        };
        BoardRead {
            board,
            claim,
            ..seen
        }
    }

    #[test]
    fn the_table_of_verdicts() {
        use Mode::{Automatic, Closed, Hold, Open};
        use VisitOutcome::{Admitted, Called, Challenged, Full, Waiting};
        let closed = VisitOutcome::Closed;
        let waits = Waiting { ahead: 1 };
        // Mode; before the board reaches the number, after that, after that under a cap without and with a session, without a number.
        let table = [
            (Automatic, [waits, Admitted, Full, Admitted, closed]),
            (Open, [waits, Admitted, Full, Admitted, closed]),
            (Hold, [waits, Called, Called, Called, closed]),
            (Closed, [closed; 5]),
        ];
        let session = Some(Claim::Session(7));
        for (mode, expected) in table {
            let called = || seen(mode, Some(2));
            let shown = [
                seen(mode, Some(4)),
                called(),
                capped(called(), None),
                capped(called(), session),
                seen(mode, None),
            ];
            assert_eq!(shown.map(|seen| verdict(&seen)), expected, "{mode:?}");
            assert_eq!(verdict(&capped(called(), Some(Claim::Full))), expected[2]);
            // A challenge comes before the number, and an invitation before both.
            let challenged = BoardRead {
                above: Some(AboveBound::Challenged),
                ..called()
            };
            assert_eq!(verdict(&challenged), Challenged, "{mode:?}");
            let invited = BoardRead {
                invited: Some(Invited::In),
                ..challenged
            };
            assert_eq!(verdict(&invited), Admitted, "{mode:?}");
        }
    }
}
