//! One thing that happens.

/// A kind of step. What exactly happens is drawn from the number of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A new visitor asks, and comes back at once where the answer says so.
    Arrive,
    /// A visitor asks again, as an app.
    Poll,
    /// A visitor asks again, as a browser.
    Page,
    /// The waiting page asks for the place.
    Place,
    /// A visitor asks, and the answer is lost.
    Unanswered,
    /// A further client asks with a ticket that a visitor had before.
    Replay,
    /// A visitor throws the ticket away and comes as a new one.
    Forget,
    /// A visitor reaches another POP, maybe from another country.
    Roam,
    /// A visitor sends a form.
    Post,
    /// A visitor brings an invitation.
    Invite,
    /// A challenged visitor answers.
    Solve,
    /// A program lets visitors in.
    Permit,
    /// A program lets visitors in, and repeats the call under its key.
    PermitOnce,
    /// An operator sets the mode.
    Mode,
    /// An operator sets the pace, or takes it back.
    Pace,
    /// An operator sets the message, or takes it back.
    Message,
    /// An operator clears the credit.
    Credit,
    /// An operator sets the cap, or takes it back.
    Cap,
    /// An operator ends all tickets.
    EndAll,
    /// An operator lets visitors in though the origin is sick, or no longer.
    Overrule,
    /// The origin says how it answered, and of its load.
    Report,
    /// An operator ends the session of a visitor.
    End,
    /// An operator draws a test ticket, or jumps the line with it.
    TestTicket,
    /// An operator sets events, sells out, or takes the events back.
    Event,
    /// An operator gives a public value.
    PublicValue,
    /// A program or an operator reads status, metrics, panel, settings or the journal.
    Read,
    /// From now on the origin answers so.
    Origin,
    /// Other settings reach one POP or all of them.
    Publish,
    /// The clock of a POP is wrong by another time.
    Skew,
    /// A POP forgets its copy, or all it knew.
    ForgetPop,
    /// A copy of the store's data is kept.
    Backup,
    /// The store loses its data, or has older ones.
    Lose,
    /// Up to some seconds go by.
    Wait,
    /// A quarter of a minute goes by.
    Quarter,
    /// Up to some minutes go by.
    Minutes,
    /// Up to half an hour goes by.
    LongWait,
}
