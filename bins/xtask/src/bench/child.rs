use std::process::{Child, Command};

use crate::steps::succeeds;

/// A process that ends with this value.
pub(super) struct Process(pub(super) Child);

impl Process {
    pub(super) fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Process {
    /// Sends SIGTERM, as an operator would.
    fn drop(&mut self) {
        let is_signaled = succeeds(Command::new("kill").arg(self.0.id().to_string()));
        if !is_signaled || self.0.wait().is_err() {
            eprintln!("xtask: it is unknown whether a process stopped");
        }
    }
}
