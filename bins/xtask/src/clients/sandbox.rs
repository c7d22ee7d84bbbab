//! Sandbox with a temporary data folder.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{self, Child, Command, Stdio},
};

use super::place::Place;
use crate::chore::{Done, field};

/// Running sandbox; dropped, the process ends and the data is removed.
pub(super) struct Sandbox {
    child: Child,
    data: PathBuf,
    ready: String,
}

impl Sandbox {
    /// Starts a sandbox on a free port and returns when ready. The name is part of its paths.
    pub(super) fn start(place: &Place, name: &str) -> Done<Self> {
        let data = place.folder.join(format!("sandbox-{name}-{}", process::id()));
        let log = place.folder.join(format!("sandbox-{name}.log"));
        let mut child = Command::new(&place.cobro)
            .args(["sandbox", "--listen", "127.0.0.1:0", "--allow-private-webhooks", "--data-dir"])
            .arg(&data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?)
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", place.cobro.display()))?;
        let stdout = child.stdout.take().ok_or("the sandbox has no stdout")?;
        let mut sandbox = Self { child, data, ready: String::new() };
        BufReader::new(stdout).read_line(&mut sandbox.ready)?;
        if sandbox.ready.is_empty() {
            return Err(format!("the sandbox did not start: see {}", log.display()).into());
        }
        Ok(sandbox)
    }

    /// Returns a text field of the ready line.
    pub(super) fn field(&self, name: &str) -> &str {
        field(&self.ready, name)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // The data is removed, so a clean shutdown is not needed.
        let ended = self.child.kill().and_then(|()| self.child.wait()).and_then(|_| fs::remove_dir_all(&self.data));
        if let Err(error) = ended {
            eprintln!("xtask: it is unknown whether the sandbox is gone: {error}");
        }
    }
}

/// Sets the variables with the address and keys of the sandbox.
pub(super) fn with_variables(mut command: Command, sandbox: &Sandbox) -> Command {
    for (name, field) in [
        ("COBRO_URL", "baseUrl"),
        ("COBRO_KEY", "merchantApiKey"),
        ("COBRO_ADMIN_KEY", "adminApiKey"),
        ("COBRO_RESTRICTED_KEY", "restrictedApiKey"),
        ("COBRO_LIVE_KEY", "liveApiKey"),
        ("COBRO_MERCHANT_ACCOUNT", "merchantAccountId"),
    ] {
        command.env(name, sandbox.field(field));
    }
    // A proxy does not reach ports of this machine.
    command.env("no_proxy", "127.0.0.1").env("NO_PROXY", "127.0.0.1").env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
