//! Ctrl-C, SIGTERM and the end of the terminal, as one message.

use std::sync::mpsc::{self, Receiver};
use std::thread;

use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

/// Gets a message for each signal that asks us to end; from now on they do nothing else.
pub(super) fn receiver() -> Result<Receiver<()>, String> {
    let cannot = |error| format!("Signals cannot be listened to: {error}.");
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(cannot)?;
    let (mut interrupt, mut terminate, mut hangup) = {
        let _entered = runtime.enter();
        (
            signal(SignalKind::interrupt()).map_err(cannot)?,
            signal(SignalKind::terminate()).map_err(cannot)?,
            signal(SignalKind::hangup()).map_err(cannot)?,
        )
    };
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        runtime.block_on(async {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                    _ = hangup.recv() => {}
                }
                if sender.send(()).is_err() {
                    return;
                }
            }
        });
    });
    Ok(receiver)
}
