//! How the edge hears of an answer that it watches (`src/edge/watch.rs`).

use now_serving::http::Watch;
use now_serving::queue::Answered;

/// After how many milliseconds the edge knows how the origin answered, and how that was. It waits until the answer is late.
#[must_use]
pub fn watched(watch: &Watch, after_ms: u64, status: u16) -> (u64, Answered) {
    if after_ms > watch.slow_ms {
        return (watch.slow_ms.saturating_add(1), Answered::Late);
    }
    let answered = Answered::of(Some(status), after_ms, watch.slow_ms);
    (after_ms, answered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use now_serving::http::OnBad;
    use now_serving::queue::AnsweredTo;

    #[test]
    fn it_waits_for_an_answer_until_it_is_late() {
        let watch = Watch {
            slow_ms: 1000,
            told: Some(AnsweredTo::Inside),
            on_bad: OnBad::Deliver,
        };
        let heard = |after_ms, status| watched(&watch, after_ms, status);
        assert_eq!(heard(80, 200), (80, Answered::Ok));
        assert_eq!(heard(1000, 499), (1000, Answered::Ok));
        assert_eq!(heard(5, 500), (5, Answered::Bad));
        assert_eq!(heard(9000, 200), (1001, Answered::Late));
        assert_eq!(
            heard(9000, 500),
            (1001, Answered::Late),
            "its head is not awaited"
        );
    }
}
