//! Servers and workers of production on one database, with a simulated acquirer and tax authority as processes beside
//! them, which all share.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{child::Process, tables::Tables};
use crate::{
    chore::{Done, field, released},
    steps::output,
};

/// Password of the test certificate.
const PASSWORD: &str = "secret";
/// Numbers that the authority granted.
const NUMBERS: &str = "1000000";
/// Timeout of a start.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// Credentials at the simulated acquirer.
const CREDENTIALS: &str = r#"{"merchantId":"39000000001","auth1":"sandbox1","auth2":"sandbox2"}"#;
/// Makes the certificates of both ends of mutual TLS, and the one that signs documents.
const CERTIFICATES: &str = "set -e
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=Authority \
    -addext basicConstraints=critical,CA:TRUE
sign() {
    openssl req -newkey rsa:2048 -nodes -keyout $1.key -out $1.csr -subj /CN=$1.local
    echo $2 > $1.ext
    openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $1.pem -days 30 -extfile $1.ext
}
sign server subjectAltName=IP:127.0.0.1
sign client extendedKeyUsage=clientAuth
openssl req -x509 -newkey rsa:2048 -nodes -keyout signer.key -out signer.pem -days 30 \
    -subj '/C=DO/serialNumber=IDCDO-00100000017/CN=Rosa Prueba'
openssl pkcs12 -export -inkey signer.key -in signer.pem -out certificate.p12 -passout pass:secret";

/// A merchant, and the settings of its servers.
pub(super) struct Deployment {
    folder: PathBuf,
    variables: Vec<(&'static str, String)>,
    merchant: String,
    /// Acquirer and tax authority.
    _outside: [Process; 2],
}

impl Deployment {
    /// Migrates the database and sets up a merchant.
    pub(super) fn make(tables: &Tables, folder: &Path) -> Done<Self> {
        fs::create_dir_all(folder)?;
        let key = folder.join("master.key");
        fs::write(&key, "ab".repeat(32))?;
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600))?;
        output("no certificates", Command::new("sh").args(["-c", CERTIFICATES]).current_dir(folder))?;
        let tls = ["--tls-certificate", "server.pem", "--tls-key", "server.key", "--client-ca-file", "ca.pem"];
        let (acquirer, azul) = simulate(folder, "acquirer", &tls)?;
        let (authority, dgii) = simulate(folder, "authority", &[])?;
        let path = |name: &str| folder.join(name).display().to_string();
        let variables = vec![
            ("COBRO_DATABASE_URL", tables.url()),
            ("COBRO_MASTER_KEY_FILE", path("master.key")),
            ("COBRO_AZUL_TEST_URLS", azul),
            ("COBRO_AZUL_CA_FILE", path("ca.pem")),
            ("COBRO_DGII_URLS", dgii),
            ("COBRO_CERTIFICATE_PASSWORD", PASSWORD.to_owned()),
        ];
        let folder = folder.to_owned();
        let mut deployment = Self { folder, variables, merchant: String::new(), _outside: [acquirer, authority] };
        deployment.set_up()?;
        Ok(deployment)
    }

    fn set_up(&mut self) -> Done {
        let run = |arguments: &str| output(arguments, self.command().args(arguments.split(' ')));
        run("migrate")?;
        let names = ["--legal-name", "Colmado Prueba, S.R.L.", "--display-name", "Prueba", "--address", "Calle 1"];
        let mut create = self.command();
        create.args(["merchant", "create", "--rnc", "130000001", "--statement-descriptor", "PRUEBA"]).args(names);
        create.args(["--support-phone", "809-555-0100", "--city", "Santiago"]);
        let made = output("no merchant", &mut create)?;
        let merchant = field(&made, "merchantId").to_owned();
        let tenant = format!("--merchant {merchant} --mode test");
        let account = run(&format!("account create {tenant} --provider azul"))?;
        let credentials = self.folder.join("azul.json");
        fs::write(&credentials, CREDENTIALS)?;
        let mut set = self.command();
        set.args(["account", "credentials", field(&account, "merchantAccountId"), "--file"]).arg(credentials);
        set.arg("--certificate").arg(self.folder.join("client.pem"));
        output("no credentials", set.arg("--private-key").arg(self.folder.join("client.key")))?;
        run(&format!("sequence add {tenant} --kind consumer --from 1 --to {NUMBERS} --valid-until 2099-12-31"))?;
        let path = self.folder.join("certificate.p12").display().to_string();
        run(&format!("certificate import {tenant} --file {path}"))?;
        self.merchant = merchant;
        Ok(())
    }

    /// Makes an API key.
    pub(super) fn key(&self) -> Done<String> {
        let tenant = ["--merchant", &self.merchant, "--mode", "test"];
        Ok(field(&output("no key", self.command().args(["key", "create"]).args(tenant))?, "apiKey").to_owned())
    }

    /// Starts a server without a worker. Returns its base URL when it listens.
    pub(super) fn serve(&self, number: usize) -> Done<(Process, String)> {
        let path = self.folder.join(format!("serve-{number}.txt"));
        let mut command = self.command();
        command.args(["serve", "--without-worker", "--listen", "127.0.0.1:0"]);
        let mut process = Process(command.stderr(fs::File::create(&path)?).stdout(Stdio::null()).spawn()?);
        let begun = Instant::now();
        while begun.elapsed() < START_TIMEOUT && process.0.try_wait()?.is_none() {
            let log = fs::read_to_string(&path)?;
            let found = log.split_once("serving address=").and_then(|(_, rest)| rest.split_whitespace().next());
            if let Some(address) = found {
                return Ok((process, format!("http://{address}")));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Err(format!("the server does not listen: {}", fs::read_to_string(&path)?).into())
    }

    /// Starts a worker.
    pub(super) fn work(&self, number: usize) -> Done<Process> {
        let log = fs::File::create(self.folder.join(format!("work-{number}.txt")))?;
        Ok(Process(self.command().arg("work").stderr(log).stdout(Stdio::null()).spawn()?))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(released("cobro"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Starts a simulator. Returns its URL.
fn simulate(folder: &Path, name: &str, arguments: &[&str]) -> Done<(Process, String)> {
    let mut command = Command::new(fs::canonicalize(released("cobro"))?);
    command.args(["simulate", name, "--listen", "127.0.0.1:0"]).args(arguments).current_dir(folder);
    let log = fs::File::create(folder.join(format!("{name}.txt")))?;
    let mut process = Process(command.stdout(Stdio::piped()).stderr(log).spawn()?);
    let mut ready = String::new();
    let stdout = process.0.stdout.take().ok_or("a simulator has no output")?;
    BufReader::new(stdout).read_line(&mut ready)?;
    Ok((process, field(&ready, "url").to_owned()))
}
