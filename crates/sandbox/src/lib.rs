//! Simulated services of the sandbox and of tests: a card acquirer, the tax authority, the taxpayers' register, a mail
//! server and a movable clock, all in one process. Acquirer and authority also run as web services.
//!
//! Each is as strict as the real one and stores state in a journal across restarts. Magic cards and prefixes, or
//! [`Faults`], trigger failures. There are no delays in real time.
//!
//! The rules and the state (`ledger`, `judge`, `registry`) do not depend on the ports; the `port` modules adapt them.

mod acquirer;
mod artifacts;
mod authority;
mod blocking;
mod clock;
mod control;
mod directory;
mod faults;
mod journal;
mod mail;
mod server;
mod spelled;

pub use acquirer::{
    Acquirer, AcquirerListenError, AcquirerProfile, AcquirerService, AcquirerTls, LookupFormat, PortalRefusal,
    TlsConfigError, TransactionView, issuer_page, issuer_result,
};
pub use artifacts::FaultyArtifactStore;
pub use authority::{
    Authority, AuthorityBehavior, AuthorityService, DocumentView, Examination, ExamineError, ForcedRefusal,
    MessageView, SchemaFilesError, Schemas, Xmlsec, examine,
};
pub use clock::{ClockFileError, ClockMoveError, MovableClock};
pub use directory::{DEMO_RNC, DemoBuyers, Directory, demo_buyers};
pub use faults::{Fault, FaultError, Faults, ParsedFault, Target};
pub use journal::JournalError;
pub use mail::{AttachmentView, MailServer, MailView};
pub use server::{Cut, Interruption, RunningServer};
