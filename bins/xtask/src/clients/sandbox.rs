//! A sandbox of our own, in a folder that goes with it.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{self, Child, Command, Stdio},
};

use super::place::Place;
use crate::chore::Done;

/// A running sandbox; dropping it ends it and removes what it kept.
pub(super) struct Sandbox {
    child: Child,
    data: PathBuf,
    log: PathBuf,
    ready: String,
}

impl Sandbox {
    /// Starts one on a free port and returns when it says that it is ready.
    pub(super) fn start(place: &Place) -> Done<Self> {
        let data = place.folder.join(format!("sandbox-{}", process::id()));
        let log = place.folder.join("sandbox.log");
        let mut child = Command::new(&place.cobro)
            .args(["sandbox", "--listen", "127.0.0.1:0", "--allow-private-webhooks", "--data-dir"])
            .arg(&data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?)
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", place.cobro.display()))?;
        let stdout = child.stdout.take().ok_or("the sandbox has no stdout")?;
        let mut sandbox = Self { child, data, log, ready: String::new() };
        BufReader::new(stdout).read_line(&mut sandbox.ready)?;
        if sandbox.ready.is_empty() {
            return Err(format!("the sandbox did not start; it said why in {}", sandbox.log.display()).into());
        }
        Ok(sandbox)
    }

    /// A text of the line with which it said that it is ready.
    pub(super) fn field(&self, name: &str) -> &str {
        let start = format!("\"{name}\":\"");
        let rest = self.ready.split_once(start.as_str()).map_or("", |(_, rest)| rest);
        rest.split('"').next().unwrap_or_default()
    }

    /// The same outcome; a failure says where the sandbox told its side.
    pub(super) fn unless(self, outcome: Done) -> Done {
        outcome.map_err(|failure| format!("{failure}; the sandbox wrote {}", self.log.display()).into())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // What it kept is thrown away, so there is nothing for it to finish.
        let ended = self.child.kill().and_then(|()| self.child.wait()).and_then(|_| fs::remove_dir_all(&self.data));
        if let Err(error) = ended {
            eprintln!("xtask: cannot tell whether the sandbox is gone: {error}");
        }
    }
}

/// The command, told where the sandbox is.
pub(super) fn told(mut command: Command, sandbox: &Sandbox) -> Command {
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
    // A proxy of this machine's knows nothing of its own ports.
    command.env("no_proxy", "127.0.0.1").env("NO_PROXY", "127.0.0.1").env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
