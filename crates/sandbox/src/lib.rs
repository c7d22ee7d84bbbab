//! The outside world of the sandbox and of tests: a card acquirer, the tax authority, the register
//! of taxpayers, a mail server and a clock that can be moved, all in process. The acquirer and the
//! authority can also be reached as the web services of the real ones.
//!
//! Each is strict where the real one is, forgets nothing (a journal survives restarts), and can be
//! told to misbehave: by magic cards and prefixes, or by [`Faults`]. None of them waits in real
//! time.
//!
//! What decides and remembers (`ledger`, `judge`, `registry`) knows no port; the `port` files put
//! it behind them.

mod acquirer;
mod artifacts;
mod authority;
mod clock;
mod directory;
mod faults;
mod journal;
mod mail;
mod server;
mod undisturbed;

pub use acquirer::{
    Acquirer, AcquirerListenError, AcquirerProfile, AcquirerService, AcquirerTls, LookupFormat, TlsConfigError,
    TransactionView, issuer_page, issuer_result,
};
pub use artifacts::FaultyArtifactStore;
pub use authority::{
    Authority, DocumentView, Examination, ExamineError, ForcedRefusal, MessageView, SchemaFilesError, Schemas, examine,
};
pub use clock::{ClockFileError, ClockMoveError, MovableClock};
pub use directory::{DEMO_RNC, DemoBuyers, Directory, demo_buyers};
pub use faults::{Fault, FaultError, Faults, ParsedFault, Target};
pub use journal::JournalError;
pub use mail::{AttachmentView, MailServer, MailView};
pub use server::{Cut, Interruption, RunningServer};

// The authority as a server, and who judges for it.
pub use authority::{AuthorityBehavior, AuthorityService, Xmlsec};

use chrono::{DateTime, TimeDelta, Utc};

/// For how long a look-up does not see what it will see later.
const VISIBILITY_LAG: TimeDelta = TimeDelta::minutes(5);

/// Until when what happened at `now` stays out of sight, if it is late.
fn late_from(now: DateTime<Utc>) -> DateTime<Utc> {
    now.checked_add_signed(VISIBILITY_LAG).unwrap_or(now)
}
