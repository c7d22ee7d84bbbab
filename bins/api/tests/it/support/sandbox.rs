use std::{
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

use super::{Client, Server};

/// Sandbox with a temporary data folder.
pub(crate) struct Sandbox {
    folder: TempDir,
    arguments: Vec<String>,
    pub(crate) server: Server,
    /// Ready line.
    pub(crate) ready: Value,
}

impl Sandbox {
    /// Starts one on embedded storage.
    pub(crate) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts one with further arguments.
    pub(crate) async fn start_with(further: &[&str]) -> Self {
        Self::start_in(further, &[]).await
    }

    /// Starts a sandbox with `variables` in the environment.
    pub(crate) async fn start_in(further: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::launch(TempDir::new().unwrap(), further, variables).await
    }

    /// Starts a sandbox on a data folder that `fill` creates at this path.
    pub(crate) async fn start_on(fill: impl FnOnce(&Path)) -> Self {
        let folder = TempDir::new().unwrap();
        fill(&folder.path().join("data"));
        Self::launch(folder, &[], &[]).await
    }

    async fn launch(folder: TempDir, further: &[&str], variables: &[(&str, &str)]) -> Self {
        let data = folder.path().join("data").to_str().unwrap().to_owned();
        let own = ["sandbox", "--listen", "127.0.0.1:0", "--data-dir", &data];
        let arguments: Vec<String> = own.iter().chain(further).map(|&it| it.to_owned()).collect();
        let (server, ready) = launch(&folder, &arguments, variables).await;
        Self { folder, arguments, server, ready }
    }

    /// Starts the sandbox again after the end of the process.
    pub(crate) async fn start_again(&mut self) {
        (self.server, self.ready) = launch(&self.folder, &self.arguments, &[]).await;
    }

    /// Starts the sandbox again at the same address.
    pub(crate) async fn start_again_where_it_was(&mut self) {
        let address = self.text("baseUrl").trim_start_matches("http://").to_owned();
        for it in self.arguments.iter_mut().filter(|it| *it == "127.0.0.1:0") {
            it.clone_from(&address);
        }
        self.start_again().await;
    }

    /// Kills the process, as in a power cut, and starts the sandbox again.
    pub(crate) async fn crash(&mut self) {
        self.server.kill();
        self.start_again().await;
    }

    /// Sends a signal and waits for the end of the process.
    pub(crate) async fn stop(&mut self, signal: &str) -> (ExitStatus, Duration) {
        self.server.stop(signal).await
    }

    /// A client with the demo merchant's key.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.text("baseUrl"), self.text("merchantApiKey"))
    }

    /// A text of the ready line.
    pub(crate) fn text(&self, field: &str) -> &str {
        self.ready[field].as_str().unwrap_or_else(|| panic!("the ready line has no {field}"))
    }

    /// Data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Folder of data and output.
    pub(crate) fn everything(&self) -> PathBuf {
        self.folder.path().to_owned()
    }
}

async fn launch(folder: &TempDir, arguments: &[String], variables: &[(&str, &str)]) -> (Server, Value) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut server = Server::start_in(folder.path(), &arguments, variables);
    let ready = serde_json::from_str(&server.first_line().await).expect("the ready line is JSON");
    (server, ready)
}
