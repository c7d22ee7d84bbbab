use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use super::pause;

/// Timeout of polls, enough for a busy machine.
pub(crate) const POLL_TIMEOUT: Duration = Duration::from_secs(60);

/// Server process, killed when dropped.
pub(crate) struct Server {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Server {
    /// Starts `cobro` and appends the output to files in `folder`.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_in(folder, arguments, &[])
    }

    /// Starts `cobro` with `variables` in the environment.
    pub(crate) fn start_in(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
        // Output of an earlier process stays in the file and is skipped.
        let earlier = fs::read(&stdout).unwrap_or_default();
        append(&folder.join("stdout.earlier")).write_all(&earlier).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_cobro"));
        command.args(arguments).env_clear().env("RUST_LOG", "debug").stdin(Stdio::null());
        command.envs(variables.iter().copied());
        let child = command.stdout(File::create(&stdout).unwrap()).stderr(append(&stderr)).spawn().unwrap();
        Self { child, stdout, stderr }
    }

    /// Waits for the first line on stdout.
    pub(crate) async fn first_line(&mut self) -> String {
        let started_at = Instant::now();
        while started_at.elapsed() < POLL_TIMEOUT {
            let text = fs::read_to_string(&self.stdout).unwrap();
            if let Some((line, _)) = text.split_once('\n') {
                return line.to_owned();
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("the process ended with {status}: {}", self.log());
            }
            pause().await;
        }
        panic!("the process printed no line: {}", self.log());
    }

    /// Returns all of stdout.
    pub(crate) fn output(&self) -> String {
        fs::read_to_string(&self.stdout).unwrap()
    }

    /// Returns the log of this and earlier processes.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap()
    }

    /// Process identifier, as in `/proc`.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process, as in a power cut.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn signal(&self, signal: &str) {
        let pid = self.child.id();
        assert!(Command::new("sh").args(["-c", &format!("kill -{signal} {pid}")]).status().unwrap().success());
    }

    /// Sends a signal, such as `TERM`, and waits for the end of the process.
    pub(crate) async fn stop(&mut self, signal: &str) -> (ExitStatus, Duration) {
        let started_at = Instant::now();
        self.signal(signal);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, started_at.elapsed());
            }
            assert!(started_at.elapsed() < POLL_TIMEOUT, "the process does not stop: {}", self.log());
            pause().await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn append(path: &Path) -> File {
    OpenOptions::new().append(true).create(true).open(path).unwrap()
}
