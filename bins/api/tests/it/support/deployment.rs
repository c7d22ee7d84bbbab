use std::{fs, os::unix::fs::PermissionsExt, time::Instant};

use tempfile::TempDir;

use super::{Database, POLL_TIMEOUT, Server, cobro, make_certificate, pause};

/// A folder with a master key, and the settings of a deployment in a file.
pub(crate) fn deployment(database: &Database) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let (key, settings) = (folder.path().join("master.key"), folder.path().join("settings"));
    fs::write(&key, "ab".repeat(32)).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let text = format!(
        "# A deployment\nCOBRO_DATABASE_URL={}\nCOBRO_MASTER_KEY_FILE={}\nCOBRO_LISTEN=127.0.0.1:0\n",
        database.url,
        key.display()
    );
    fs::write(&settings, text).unwrap();
    (folder, settings.to_str().unwrap().to_owned())
}

/// Sets a merchant up and returns the id and the key.
pub(crate) fn set_up(database: &Database, folder: &TempDir, has_account: bool) -> (String, String) {
    let key_file = folder.path().join("master.key");
    let variables = [
        ("COBRO_DATABASE_URL", database.url.as_str()),
        ("COBRO_MASTER_KEY_FILE", key_file.to_str().unwrap()),
        ("COBRO_CERTIFICATE_PASSWORD", "secret"),
    ];
    let run = |arguments: &[&str]| cobro(arguments, &variables);
    assert!(run(&["migrate"]).is_success);
    let names = ["--legal-name", "Colmado Prueba, S.R.L.", "--rnc", "130000001", "--display-name", "Prueba"];
    let options =
        ["--support-phone", "809-555-0100", "--address", "Calle 1", "--city", "Santiago", "--propina", "--split"];
    let create = [&["merchant", "create", "--statement-descriptor", "PRUEBA"], &names[..], &options[..]].concat();
    let merchant = run(&create).text("merchantId");
    let tenant = ["--merchant", &merchant, "--mode", "test"];
    if has_account {
        run(&[&["account", "create"], &tenant[..], &["--provider", "simulator"]].concat()).json();
    }
    let range = ["--kind", "consumer", "--from", "1", "--to", "100"];
    run(&[&["sequence", "add"], &tenant[..], &range[..]].concat()).json();
    let certificate = folder.path().join("certificate.p12");
    make_certificate(&certificate, "secret");
    let file = ["--file", certificate.to_str().unwrap()];
    run(&[&["certificate", "import"], &tenant[..], &file[..]].concat()).json();
    let key = run(&[&["key", "create"], &tenant[..]].concat()).text("apiKey");
    (merchant, key)
}

/// Returns the address from the ready line.
pub(crate) async fn address(server: &Server) -> String {
    let started_at = Instant::now();
    loop {
        let log = server.log();
        let found = log.split_once("serving address=").and_then(|(_, rest)| rest.split_whitespace().next());
        if let Some(address) = found {
            return format!("http://{address}");
        }
        assert!(started_at.elapsed() < POLL_TIMEOUT, "the server does not listen: {log}");
        pause().await;
    }
}
