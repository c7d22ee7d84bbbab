//! A PostgreSQL of our own: a new cluster in a temporary folder, on a free port of this machine.

use std::{
    env, fs,
    net::TcpListener,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    chore::{Done, root},
    needs,
};

/// Script that owns the server. The server ends with the standard input of the script.
const KEEPER: &str = "bins/xtask/src/postgres.sh";

/// Timeout of a start, which takes two seconds: enough for a slow disk.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Space that a server in memory needs, in MiB: the log, and the databases of concurrent tests.
const MEMORY_NEEDED: u64 = 4096;

/// Settings of a durable server under load. Statements are counted only in a database that sets this.
const DURABLE: &[&str] = &[
    "fsync=on",
    "full_page_writes=on",
    "shared_buffers=1GB",
    "max_wal_size=8GB",
    "checkpoint_timeout=15min",
    "shared_preload_libraries=pg_stat_statements",
    "pg_stat_statements.track=none",
];

/// Running server; dropped, the server stops and the folder is removed.
pub(crate) struct Server {
    keeper: Child,
    folder: PathBuf,
    port: u16,
}

impl Server {
    /// Starts a server and returns when connections are accepted.
    pub(crate) fn start() -> Done<Self> {
        Self::start_in(&memory_folder().unwrap_or_else(env::temp_dir), &[])
    }

    /// Starts a server as in production: each commit is on the disk before the confirmation.
    pub(crate) fn start_durable() -> Done<Self> {
        Self::start_in(&env::temp_dir(), DURABLE)
    }

    fn start_in(parent: &Path, settings: &[&str]) -> Done<Self> {
        let Some(programs) = needs::folder_of(&["initdb", "postgres"]) else {
            return Err("no PostgreSQL server is installed: `cargo xtask test` prints how to install one".into());
        };
        let folder = parent.join(format!("cobro-postgres-{}", process::id()));
        let port = free_port()?;
        let keeper = Command::new("sh")
            .arg(root().join(KEEPER))
            .arg(&folder)
            .arg(port.to_string())
            .arg(programs)
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            // Ctrl-C must not reach the script, which cleans up.
            .process_group(0)
            .spawn()?;
        let mut server = Self { keeper, folder, port };
        server.wait_until_ready()?;
        Ok(server)
    }

    /// The address of the server's own database, for a superuser.
    pub(crate) fn url(&self) -> String {
        format!("postgres://cobro@127.0.0.1:{}/postgres", self.port)
    }

    /// Port of the server.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Process id of the server; its children serve connections.
    pub(crate) fn process(&self) -> Done<u32> {
        let text = fs::read_to_string(self.folder.join("data/postmaster.pid"))?;
        Ok(text.lines().next().unwrap_or_default().trim().parse()?)
    }

    /// Waits for the end of the server, which is an error.
    pub(crate) fn wait(mut self) -> Done {
        let held_open = self.keeper.stdin.take();
        self.keeper.wait()?;
        drop(held_open);
        Err("PostgreSQL stopped".into())
    }

    /// Reads the lock file of the server, which another server on the same port would not write.
    fn wait_until_ready(&mut self) -> Done {
        let lock = self.folder.join("data/postmaster.pid");
        let begun = Instant::now();
        while begun.elapsed() < START_TIMEOUT {
            if self.keeper.try_wait()?.is_some() {
                return Err("PostgreSQL did not start: see above".into());
            }
            let text = fs::read_to_string(&lock).unwrap_or_default();
            if text.lines().nth(7).is_some_and(|status| status.trim() == "ready") {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("PostgreSQL was not ready after {} seconds", START_TIMEOUT.as_secs()).into())
    }
}

/// Returns a folder in memory with enough space; `None` if `TMPDIR` names a folder. Memory is faster than a disk: the
/// tests create hundreds of databases of 300 files each.
fn memory_folder() -> Option<PathBuf> {
    if env::var_os("TMPDIR").is_some() {
        return None;
    }
    let folder = PathBuf::from("/dev/shm");
    let available = Command::new("df").args(["--output=avail", "-B1M"]).arg(&folder).output().ok()?;
    let text = String::from_utf8(available.stdout).ok()?;
    let available: u64 = text.lines().nth(1)?.trim().parse().ok()?;
    (available >= MEMORY_NEEDED).then_some(folder)
}

impl Drop for Server {
    fn drop(&mut self) {
        // `wait` first closes the standard input, the signal to stop.
        if let Err(error) = self.keeper.wait() {
            eprintln!("xtask: it is unknown whether PostgreSQL stopped: {error}");
        }
    }
}

/// Returns a free port. If another process takes the port meanwhile, the server fails to start.
fn free_port() -> Done<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
