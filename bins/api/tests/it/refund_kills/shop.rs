use std::{fs, path::Path};

use reqwest::Certificate;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ends::Records, merchant, scenario::Scenario};
use crate::support::{Client, Created, Database, Server, TlsFiles, address, cobro, deployment, free_port, set_up};

/// Age at which a charge can be refunded, and not voided any more.
const AFTER_VOID_WINDOW: i64 = 30 * 60 * 1000;

/// A deployment on PostgreSQL: `cobro serve` and `cobro work`, and a simulated acquirer and a simulated authority as
/// servers, which are never killed.
pub(super) struct Shop {
    pub(super) database: Database,
    pub(super) client: Client,
    folder: TempDir,
    settings: String,
    listen: String,
    server: Server,
    worker: Server,
    acquirer: Simulator,
    authority: Simulator,
}

struct Simulator {
    _process: Server,
    control_url: String,
    http: reqwest::Client,
}

impl Simulator {
    async fn start(folder: &Path, arguments: &[&str], http: reqwest::Client) -> (Self, String) {
        fs::create_dir(folder).unwrap();
        let mut process = Server::start(folder, &[&["simulate"], arguments, &["--listen", "127.0.0.1:0"]].concat());
        let ready: Value = serde_json::from_str(&process.first_line().await).unwrap();
        let text = |name: &str| ready[name].as_str().unwrap().to_owned();
        (Self { _process: process, control_url: text("controlUrl"), http }, text("url"))
    }

    async fn list(&self, name: &str) -> Vec<Value> {
        let response = self.http.get(format!("{}{name}", self.control_url)).send().await.unwrap();
        response.json::<Value>().await.unwrap()["data"].as_array().unwrap().clone()
    }
}

impl Shop {
    pub(super) async fn open(test: &str) -> Self {
        let database = Database::empty(test).await;
        let (folder, settings) = deployment(&database);
        let (merchant, _) = set_up(&database, &folder, false);
        let tls_files = TlsFiles::make(folder.path(), &["one"]);
        let path = |name: &str| tls_files.path(name);
        let ca = Certificate::from_pem(&fs::read(path("ca.pem")).unwrap()).unwrap();
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([ca]).build().unwrap();
        let (certificate, key) = (path("server.pem"), path("server.key"));
        let acquirer = ["acquirer", "--tls-certificate", &certificate, "--tls-key", &key];
        let acquirer = [&acquirer[..], &["--auth1", "first", "--auth2", "second"]].concat();
        let (acquirer, url) = Simulator::start(&folder.path().join("acquirer"), &acquirer, http.clone()).await;
        let (authority, dgii) = Simulator::start(&folder.path().join("authority"), &["authority"], http).await;
        let listen = format!("127.0.0.1:{}", free_port());
        let outside =
            format!("COBRO_AZUL_TEST_URLS={url}\nCOBRO_AZUL_CA_FILE={}\nCOBRO_DGII_URLS={dgii}\n", path("ca.pem"));
        fs::write(&settings, fs::read_to_string(&settings).unwrap() + &outside).unwrap();

        let key_file = folder.path().join("master.key");
        let variables =
            [("COBRO_DATABASE_URL", database.url.as_str()), ("COBRO_MASTER_KEY_FILE", key_file.to_str().unwrap())];
        let tenant = ["--merchant", &merchant, "--mode", "test"];
        let range = ["--kind", "credit_note", "--from", "1", "--to", "1000"];
        cobro(&[&["sequence", "add"], &tenant[..], &range].concat(), &variables).json();
        let key = cobro(&[&["key", "create", "--role", "admin"], &tenant[..]].concat(), &variables).text("apiKey");

        let (server, worker) = start(folder.path(), &settings, &listen);
        address(&server).await;
        let client = Client::new(&format!("http://{listen}"), &key);
        let shop = Self { database, client, folder, settings, listen, server, worker, acquirer, authority };
        shop.add_account(&tls_files).await;
        shop
    }

    async fn add_account(&self, tls_files: &TlsFiles) {
        let made = self.client.post_own("/v1/merchant_accounts", "account", &json!({ "provider": "azul" })).await;
        let text = |name: &str| fs::read_to_string(tls_files.path(name)).unwrap();
        let credentials = json!({ "provider": "azul", "credentials": {
            "merchantId": "39000000001", "auth1": "first", "auth2": "second",
            "certificate": text("one.pem"), "privateKey": text("one.key"),
        }});
        let path = format!("/v1/merchant_accounts/{}/credentials", made.text("/id"));
        let set = self.client.put(&path, "credentials", &credentials).await;
        assert_eq!(set.status, 200, "{set:?}");
    }

    /// Kills both processes, as in a power cut.
    pub(super) fn kill(&mut self) {
        self.server.kill();
        self.worker.kill();
    }

    /// Starts both processes at the same address, without waiting for them.
    pub(super) fn start(&mut self) {
        (self.server, self.worker) = start(self.folder.path(), &self.settings, &self.listen);
    }

    /// Sells. The charge is as old as the scenario needs.
    pub(super) async fn sell(&self, scenario: &Scenario, name: &str) -> Created {
        let sale = merchant::sell(&self.client, scenario, name).await;
        if scenario.is_after_void_window {
            let condition = |column: &str| format!("{column} = ''{}''", sale.payment);
            self.age("payments", &condition("id"), AFTER_VOID_WINDOW).await;
            self.age("attempts", &condition("payment"), AFTER_VOID_WINDOW).await;
        }
        sale
    }

    async fn age(&self, table: &str, condition: &str, milliseconds: i64) {
        let age = format!("SELECT gate_age('{table}', '{condition}', {milliseconds})");
        self.database.execute(&format!("SET session_replication_role = replica; {age}")).await;
    }

    /// Returns the records of the acquirer and of the authority.
    pub(super) async fn records(&self, sale: &Created) -> Records {
        let rows = self.database.rows("attempts").await;
        let attempts = rows.iter().map(|row| serde_json::from_str::<Value>(row).unwrap());
        let is_charge = |it: &Value| {
            it["payment"] == sale.payment.as_str() && (it["kind"] == "sale" || it["kind"] == "authorization")
        };
        let mut charges: Vec<Value> = attempts.filter(is_charge).collect();
        charges.sort_by_key(|it| it["part"].as_i64());
        Records {
            charges: charges.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect(),
            transactions: self.acquirer.list("transactions").await,
            documents: self.authority.list("documents").await,
        }
    }

    /// Returns the ends of the logs of both processes.
    pub(super) fn log(&self) -> String {
        let end = |log: String| log.lines().rev().take(20).collect::<Vec<_>>().join("\n");
        format!("newest first:\n{}\n\n{}", end(self.server.log()), end(self.worker.log()))
    }
}

fn start(folder: &Path, settings: &str, listen: &str) -> (Server, Server) {
    let run = |name: &str, arguments: &[&str]| {
        let own = folder.join(name);
        fs::create_dir_all(&own).unwrap();
        Server::start(&own, &[arguments, &["--config", settings, "--log", "info"]].concat())
    };
    (run("server", &["serve", "--without-worker", "--listen", listen]), run("worker", &["work"]))
}
