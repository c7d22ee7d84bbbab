//! PostgreSQL servers for one test, and a proxy to one of them.

use std::{
    fs,
    net::TcpListener as Reserved,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
    time::Instant,
};

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use tempfile::TempDir;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
};

use super::{POLL_TIMEOUT, pause};

/// A PostgreSQL server; dropping it stops the server.
pub(crate) struct Postgres {
    folder: TempDir,
    pub(crate) port: u16,
    process: Option<Child>,
}

impl Postgres {
    /// Starts a new primary.
    pub(crate) async fn primary() -> Self {
        let folder = folder();
        let options =
            ["--pgdata=data", "--username=cobro", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"];
        run("initdb", folder.path(), &options);
        let mut server = Self { folder, port: free_port(), process: None };
        server.start().await;
        server
    }

    /// Starts a synchronous standby of `primary`: from now on the primary confirms only commits that the standby has.
    pub(crate) async fn standby_of(primary: &Self) -> Self {
        let folder = folder();
        let port = primary.port.to_string();
        let options = [
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "-U",
            "cobro",
            "-D",
            "data",
            "-R",
            "-X",
            "stream",
            "--no-sync",
            "-c",
            "fast",
        ];
        run("pg_basebackup", folder.path(), &options);
        let mut server = Self { folder, port: free_port(), process: None };
        server.start().await;
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'").await;
        primary.execute("SELECT pg_reload_conf()").await;
        server
    }

    /// Promotes the standby to primary.
    pub(crate) fn promote(&self) {
        run("pg_ctl", self.folder.path(), &["promote", "-D", "data", "-w"]);
    }

    /// Shuts the server down (`fast`) after the standby has received the whole log.
    pub(crate) fn stop(&mut self) {
        run("pg_ctl", self.folder.path(), &["stop", "-D", "data", "-m", "fast", "-w"]);
        if let Some(mut process) = self.process.take() {
            process.wait().unwrap();
        }
    }

    /// Restarts the server as a standby of `primary`.
    pub(crate) async fn follow(&mut self, primary: &Self) {
        let data = self.folder.path().join("data");
        fs::write(data.join("standby.signal"), "").unwrap();
        let settings = data.join("postgresql.auto.conf");
        let from = format!("host=127.0.0.1 port={} user=cobro", primary.port);
        fs::write(&settings, format!("primary_conninfo = '{from}'\nrecovery_target_timeline = 'latest'\n")).unwrap();
        if is_root() {
            let chown = Command::new("chown").args(["-R", "postgres:"]).arg(&data).status().unwrap();
            assert!(chown.success());
        }
        self.start().await;
    }

    async fn start(&mut self) {
        let log = fs::File::create(self.folder.path().join("log")).unwrap();
        let mut command = command_of("postgres", self.folder.path());
        command.args(["-D", "data", "-p", &self.port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
        command.args([
            "-c",
            "unix_socket_directories=",
            "-c",
            "fsync=off",
            "-c",
            "hot_standby=on",
            "-c",
            "max_connections=100",
        ]);
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        self.process = Some(process);
        let started_at = Instant::now();
        while AsyncPgConnection::establish(&self.url("postgres")).await.is_err() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(started_at.elapsed() < POLL_TIMEOUT, "PostgreSQL does not start: {log}");
            pause().await;
        }
    }

    /// Runs a statement in the database `postgres`.
    pub(crate) async fn execute(&self, statement: &str) {
        let connection = AsyncPgConnection::establish(&self.url("postgres")).await;
        connection
            .expect("the server accepts connections")
            .batch_execute(statement)
            .await
            .unwrap_or_else(|error| panic!("{statement}: {error}"));
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://cobro@127.0.0.1:{}/{database}", self.port)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let pid = process.id().to_string();
            // SIGQUIT stops the server at once, without a message to clients.
            let _ = Command::new("kill").args(["-QUIT", &pid]).status();
            let _ = process.wait();
        }
    }
}

/// TCP proxy with a changeable target.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    target: Arc<AtomicU16>,
}

impl Proxy {
    /// Listens at a free port.
    pub(crate) async fn to(target: u16) -> Self {
        Self::at(free_port(), target).await
    }

    /// Listens at the named port.
    pub(crate) async fn at(port: u16, target: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        let target = Arc::new(AtomicU16::new(target));
        let current = target.clone();
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let current = current.clone();
                tokio::spawn(async move {
                    if let Ok(mut server) = TcpStream::connect(("127.0.0.1", current.load(Ordering::SeqCst))).await {
                        // Either side may close the connection.
                        let _ = copy_bidirectional(&mut client, &mut server).await;
                    }
                });
            }
        });
        Self { port, target }
    }

    /// Sets the target of new connections. Open connections stay.
    pub(crate) fn set_target(&self, target: u16) {
        self.target.store(target, Ordering::SeqCst);
    }
}

pub(crate) fn free_port() -> u16 {
    Reserved::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    if is_root() {
        let chown = Command::new("chown").arg("postgres:").arg(folder.path()).status().unwrap();
        assert!(chown.success(), "there is no user `postgres`: install the package postgresql");
    }
    folder
}

/// Runs a program of PostgreSQL and asserts success.
fn run(program: &str, folder: &Path, arguments: &[&str]) {
    let output = command_of(program, folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Returns a command of the user `postgres` if this is root: PostgreSQL refuses to run as root.
fn command_of(program: &str, folder: &Path) -> Command {
    let path = programs().join(program);
    let path = if path.exists() { path } else { PathBuf::from(program) };
    let mut command = if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(path);
        command
    } else {
        Command::new(path)
    };
    command.current_dir(folder).process_group(0);
    command
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.starts_with(b"0")
}

/// Returns the folder of the newest PostgreSQL on Debian.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions.filter_map(|it| it.file_name().to_str()?.parse::<u32>().ok()).max();
    newest.map_or_else(PathBuf::new, |version| format!("/usr/lib/postgresql/{version}/bin").into())
}
