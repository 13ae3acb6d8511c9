//! Handling of Ctrl-C and of the signals of batch systems: the first signal cancels the work, the second ends the process.
//!
//! Without a journal the first signal ends the process, too. With a journal, running rows are cancelled and the subcommand
//! reports how to continue. If a worker does not check its token in time, the process ends anyway.

use flitwise::cancel::Token;
use std::fs::File;
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long rows have to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// The exit code of a process that was interrupted.
pub(super) const INTERRUPTED: u8 = 130;

/// What is kept of work that is interrupted.
struct Kept {
    /// Where, if anything but what is printed is.
    journal: Option<PathBuf>,
    /// What is done now.
    ending: &'static str,
    /// How to go on.
    advice: String,
}

/// What the first signal does.
#[derive(Clone, Default)]
pub(super) struct Interrupts {
    token: Token,
    kept: Arc<Mutex<Option<Kept>>>,
}

impl Interrupts {
    /// From now on signals are heeded; where they cannot be, they end the process as they always do.
    pub(super) fn heed() -> Self {
        let interrupts = Self::default();
        let heard = interrupts.clone();
        let again = AtomicBool::new(false);
        let _ = ctrlc::set_handler(move || {
            if again.swap(true, Ordering::Relaxed) {
                end();
            }
            heard.first();
        });
        interrupts
    }

    /// What cancels the work.
    pub(super) fn token(&self) -> &Token {
        &self.token
    }

    /// As long as what this returns is there, what is done is kept in `journal`; `advice` says how to go on.
    pub(super) fn keep(&self, journal: PathBuf, advice: &str) -> Keeps<'_> {
        let ending = "stopping; finished rows are kept";
        let advice = format!("finished rows are kept; {advice}");
        *self.kept() = Some(Kept { journal: Some(journal), ending, advice });
        Keeps(self)
    }

    /// As long as what this returns is there, work ends in order, of which `ending` tells; `advice` says how to go on.
    pub(super) fn end_in_order(&self, ending: &'static str, advice: String) -> Keeps<'_> {
        *self.kept() = Some(Kept { journal: None, ending, advice });
        Keeps(self)
    }

    /// Rows at work have ended; what is left may take as long as the disk does.
    pub(super) fn rows_ended(&self) {
        self.kept().take();
    }

    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn first(&self) {
        let ending = self.kept().as_ref().map(|kept| kept.ending);
        let Some(ending) = ending else {
            say("interrupted");
            end();
        };
        say(&format!("interrupted: {ending}. Press Ctrl-C again to quit immediately"));
        self.token.cancel();
        let left = self.clone();
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            if let Some(Kept { journal, advice, .. }) = left.kept().take() {
                // what was appended is there; this is for a loss of power
                let _ = journal.map(|journal| File::open(journal).and_then(|journal| journal.sync_data()));
                say(&format!("interrupted; a worker did not stop in time; {advice}"));
                end();
            }
            // the subcommand is ending
            std::thread::sleep(PATIENCE * 10);
            end();
        });
    }
}

/// Something is kept.
pub(super) struct Keeps<'a>(&'a Interrupts);

impl Drop for Keeps<'_> {
    fn drop(&mut self) {
        self.0.kept().take();
    }
}

/// On a line of its own, whatever else the terminal shows.
fn say(text: &str) {
    let terminal = console::Term::stderr();
    if terminal.is_term() {
        let _ = terminal.clear_line();
    }
    let _ = stderr().write_all(format!("{text}\n").as_bytes());
}

fn end() -> ! {
    exit(INTERRUPTED.into())
}
