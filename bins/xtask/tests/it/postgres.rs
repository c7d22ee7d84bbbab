//! The throwaway server never outlives xtask.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

#[test]
fn a_killed_xtask_leaves_no_server_and_no_folder() {
    let folder = empty_folder();
    let (mut xtask, port) = start_postgres(&folder);
    assert!(takes_connections(port));
    assert!(!is_empty(&folder));

    // SIGKILL cannot be caught, so any other end of the process is cleaned up as well.
    xtask.kill().unwrap();
    xtask.wait().unwrap();

    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_empty(&folder) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(50));
    }
    assert!(is_empty(&folder), "{} still holds the data", folder.display());
    assert!(!takes_connections(port));
    fs::remove_dir(&folder).unwrap();
}

/// Starts `cargo xtask postgres` and reads the only line.
fn start_postgres(folder: &Path) -> (Child, u16) {
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("postgres")
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(xtask.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("postgres://cobro@127.0.0.1:").expect("an address");
    let port = address.strip_suffix("/postgres").expect("the server's own database").parse().unwrap();
    (xtask, port)
}

/// Not under `target`, where the server's own account may have no way in.
fn empty_folder() -> PathBuf {
    let folder = env::temp_dir().join(format!("cobro-xtask-test-{}", process::id()));
    fs::create_dir(&folder).unwrap();
    folder
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

fn takes_connections(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}
