use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{
    child::Process,
    tables::{Tables, fixture},
};
use crate::{
    chore::{Done, field, released},
    steps::output,
};

/// A key may be used 1000 times in a second, so so many keys take turns.
const KEYS: usize = 64;
/// Sales that the others are clones of; one of them is canceled, the others are paid and have their document.
const TEMPLATES: usize = 10;
/// Timeout of the issuance of a document.
const ISSUE_TIMEOUT: Duration = Duration::from_secs(30);

/// The server: the whole product with simulators, on the database that is measured.
pub(crate) struct Sandbox {
    server: Process,
    ready: String,
    data: PathBuf,
}

impl Sandbox {
    /// Starts a sandbox and returns when ready.
    pub(crate) fn start(tables: &Tables, folder: &Path) -> Done<Self> {
        Self::start_on(Some(tables), folder)
    }

    /// The same, on SQLite if there is no database.
    pub(crate) fn start_on(tables: Option<&Tables>, folder: &Path) -> Done<Self> {
        let data = folder.join("sandbox");
        fs::create_dir_all(folder)?;
        let log = fs::File::options().create(true).append(true).open(folder.join("log.txt"))?;
        let child = Command::new(released("cobro"))
            .args(["sandbox", "--listen", "127.0.0.1:0", "--allow-private-webhooks", "--data-dir"])
            .arg(&data)
            .args(tables.iter().flat_map(|it| ["--database-url".to_owned(), it.url()]))
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()?;
        let mut ready = String::new();
        let mut server = Process(child);
        let stdout = server.0.stdout.take().ok_or("the server has no output")?;
        let sandbox = |ready| Self { server, ready, data };
        BufReader::new(stdout).read_line(&mut ready)?;
        let sandbox = sandbox(ready);
        if sandbox.address().is_empty() {
            let log = fs::read_to_string(folder.join("log.txt")).unwrap_or_default();
            return Err(format!("the server did not start: {log}").into());
        }
        Ok(sandbox)
    }

    /// Process id.
    pub(crate) fn process(&self) -> u32 {
        self.server.id()
    }

    /// Base URL.
    pub(crate) fn address(&self) -> &str {
        field(&self.ready, "baseUrl")
    }

    /// Key of the demo merchant.
    pub(crate) fn key(&self) -> &str {
        field(&self.ready, "merchantApiKey")
    }

    /// Key of the demo merchant with all rights.
    pub(crate) fn admin_key(&self) -> &str {
        field(&self.ready, "adminApiKey")
    }

    /// Makes the sales that are cloned later, as a merchant and a payer would.
    pub(crate) fn make_templates(&self) -> Done {
        let key = field(&self.ready, "merchantApiKey");
        for n in 0..TEMPLATES {
            let body = format!("@{}", fixture("payment.json").display());
            let created = self.send("POST", "/v1/payments", key, &body)?;
            let path = format!("/v1/payments/{}", field(&created, "id"));
            if n == 0 {
                self.send("POST", &format!("{path}/cancellations"), key, CANCELLATION)?;
                continue;
            }
            let reference = field(&created, "checkoutReference");
            let body = format!(r#"{{"checkoutReference":"{reference}","purpose":"pay"}}"#);
            let token = self.send("POST", "/v1/checkout_tokens", key, &body)?;
            self.send("POST", &format!("{path}/card-submissions"), field(&token, "token"), CARD)?;
            self.wait_until_issued(&path, key)?;
        }
        Ok(())
    }

    /// Makes API keys and writes them to a file.
    pub(crate) fn write_keys(&self, tables: &Tables, file: &Path) -> Done {
        let merchant = tables.ask("SELECT merchant FROM payments LIMIT 1")?;
        let mut keys = String::new();
        for _ in 0..KEYS {
            let mut create = Command::new(released("cobro"));
            create.args(["key", "create", "--database-url", &tables.url(), "--merchant", &merchant, "--mode", "test"]);
            let made = output("no key", create.arg("--master-key-file").arg(self.data.join("master.key")))?;
            keys.extend([field(&made, "apiKey"), "\n"]);
        }
        Ok(fs::write(file, keys)?)
    }

    /// Registers an endpoint for these events and returns the identifier.
    pub(crate) fn register(&self, url: &str, events: &[&str]) -> Done<String> {
        let body = format!(r#"{{"url":"{url}","enabledEvents":{events:?}}}"#);
        let made = self.send("POST", "/v1/webhook_endpoints", self.admin_key(), &body)?;
        Ok(field(&made, "id").to_owned())
    }

    /// Makes an endpoint `enabled` or `disabled`.
    pub(crate) fn switch(&self, endpoint: &str, status: &str) -> Done {
        let (path, body) = (format!("/v1/webhook_endpoints/{endpoint}"), format!(r#"{{"status":"{status}"}}"#));
        self.send("PATCH", &path, self.admin_key(), &body).map(drop)
    }

    fn wait_until_issued(&self, path: &str, key: &str) -> Done {
        let begun = Instant::now();
        while begun.elapsed() < ISSUE_TIMEOUT {
            if self.send("GET", path, key, "")?.contains(r#""status":"issued""#) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Err("a document is not issued".into())
    }

    fn send(&self, method: &str, path: &str, key: &str, body: &str) -> Done<String> {
        let mut curl = Command::new("curl");
        curl.args(["-sS", "--fail-with-body", "-X", method, "-H", &format!("authorization: Bearer {key}")]);
        if !body.is_empty() {
            let idempotency = format!("idempotency-key: {:?}", Instant::now());
            curl.args(["-H", "content-type: application/json", "-H", &idempotency, "--data", body]);
        }
        let output = curl.arg(format!("{}{path}", self.address())).output()?;
        let text = String::from_utf8(output.stdout)?;
        if output.status.success() { Ok(text) } else { Err(format!("{method} {path}: {text}").into()) }
    }
}

const CANCELLATION: &str = r#"{"reason":"other"}"#;
/// Body of a submission of a card that is approved.
pub(super) const CARD: &str = r#"{"card":{"number":"4222220000000008","expirationMonth":12,"expirationYear":2039,"securityCode":"737","holderName":"ROSA PRUEBA"}}"#;

/// Measures the time from exec to ready, with a current schema.
pub(crate) fn time_starts(tables: &Tables, folder: &Path, times: usize) -> Done<Vec<Duration>> {
    drop(Sandbox::start(tables, folder)?);
    let start = |_| {
        let begun = Instant::now();
        let sandbox = Sandbox::start(tables, folder)?;
        let taken = begun.elapsed();
        drop(sandbox);
        Ok(taken)
    };
    (0..times).map(start).collect()
}
