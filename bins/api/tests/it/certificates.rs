//! Import of certificate files as certification authorities and browsers write them.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::support::{Cli, Output};

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/p12/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// An operator with a merchant that imports certificates.
struct Importer {
    cli: Cli,
    merchant: String,
}

impl Importer {
    async fn open(test: &str) -> Self {
        let cli = Cli::open(test).await;
        cli.run(&["migrate"]);
        let merchant = cli.merchant();
        Self { cli, merchant }
    }

    fn import(&self, file: &str, password_file: &str) -> Output {
        let command = ["certificate", "import", "--merchant", &self.merchant, "--mode", "test"];
        self.cli.run(&[&command[..], &["--file", file, "--password-file", password_file]].concat())
    }

    fn listed(&self) -> Vec<Value> {
        let listed = self.cli.run(&["certificate", "list", "--merchant", &self.merchant]);
        listed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Runs an `openssl` script in the folder; `own.cnf` contains the extensions of the certificate.
fn openssl(folder: &Path, script: &str) {
    let config = "[req]\ndistinguished_name=name\n[name]\n[ca]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\n\
        default_md=sha256\npolicy=any\nunique_subject=no\ncopy_extensions=none\nx509_extensions=sign\n[any]\ncommonName=supplied\n\
        serialNumber=optional\n[sign]\nkeyUsage=digitalSignature,nonRepudiation\n";
    fs::write(folder.join("own.cnf"), config).unwrap();
    fs::write(folder.join("index.txt"), "").unwrap();
    fs::write(folder.join("serial"), "01\n").unwrap();
    let made = Command::new("sh").current_dir(folder).args(["-e", "-c", script]).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[tokio::test]
async fn files_of_every_tool_are_imported_and_their_holder_is_printed() {
    let importer = Importer::open("certificate_tools").await;
    let password = importer.cli.path("password.txt");
    // Windows saves the password with a byte order mark and a line ending.
    fs::write(&password, "\u{feff}trial123\r\n").unwrap();

    for name in ["bouncycastle_segments", "keytool_legacy", "keytool_nomac", "pbmac1", "signing_and_encryption"] {
        let imported = importer.import(&fixture(&format!("{name}.p12")), &password).json();

        assert_eq!(imported["serialNumber"], "IDCDO-00113918205", "{name}: {imported}");
        assert!(imported["subject"].as_str().is_some_and(|it| it.contains("ANA PENA")), "{name}: {imported}");
        assert!(imported["until"].as_str().is_some_and(|it| it.starts_with("2049")), "{name}: {imported}");
        assert_eq!((&imported["warnings"], &imported["later"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    }
}

#[tokio::test]
async fn a_certificate_that_signs_no_documents_is_refused_with_its_reason() {
    let importer = Importer::open("certificate_purposes").await;
    let folder = importer.cli.folder();
    let root = "openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 30 -subj /CN=Root; \
        openssl pkcs12 -export -inkey root.key -in root.pem -out root.p12 -passout pass:trial";
    openssl(folder, root);

    for (file, reason) in [
        (fixture("enc.p12"), "digitalSignature or nonRepudiation is missing"),
        (fixture("tls.p12"), "which does not cover signatures of a person"),
        (importer.cli.path("root.p12"), "the certificate of a certification authority"),
    ] {
        let refused = importer.import(&file, &fixture("pw.txt"));
        assert!(!refused.is_success && refused.stdout.is_empty(), "{refused:?}");
        assert!(refused.stderr.contains("does not sign documents"), "{refused:?}");
        assert!(refused.stderr.contains(reason), "{refused:?}");
    }
    assert_eq!(importer.listed(), Vec::<Value>::new());
}

#[tokio::test]
async fn a_certificate_without_the_number_of_a_taxpayer_is_imported_with_a_warning() {
    let importer = Importer::open("certificate_numbers").await;
    let make = "openssl req -x509 -config own.cnf -extensions sign -newkey rsa:2048 -nodes -keyout a.key -out a.pem \
        -days 300 -subj '/CN=Ana Prueba'; openssl pkcs12 -export -inkey a.key -in a.pem -out a.p12 -passout pass:trial";
    openssl(importer.cli.folder(), make);

    let imported = importer.import(&importer.cli.path("a.p12"), &fixture("pw_bom.txt")).json();

    let warning = imported["warnings"][0].as_str().unwrap_or_default().to_owned();
    assert!(warning.contains("no serialNumber (SN)"), "{imported}");
    assert_eq!(imported["serialNumber"], Value::Null);
}

/// The current certificate signs, and the next one takes over on its first day without another import.
#[tokio::test]
async fn the_current_certificate_signs_and_the_next_takes_over_on_its_day() {
    let importer = Importer::open("certificate_renewal").await;
    let make = "openssl req -new -config own.cnf -newkey rsa:2048 -nodes -keyout a.key -out a.csr \
            -subj '/CN=Ana Prueba/serialNumber=IDCDO-00113918205'
        day() { date -u -d \"$1\" +%y%m%d000000Z; }
        sign() { openssl ca -batch -config own.cnf -name ca -selfsign -keyfile a.key -in a.csr -notext \
            -startdate $(day \"$1\") -enddate $(day \"$2\") -out $3; }
        sign '-700 days' '-300 days' past.pem
        sign '-300 days' '+90 days' present.pem
        sign '+60 days' '+800 days' next.pem
        cat present.pem next.pem past.pem > all.pem
        openssl pkcs12 -export -inkey a.key -in all.pem -out a.p12 -passout pass:trial";
    openssl(importer.cli.folder(), make);

    let imported = importer.import(&importer.cli.path("a.p12"), &fixture("pw.txt")).json();
    let listed = importer.listed();

    let later = imported["later"].as_array().unwrap();
    assert_eq!((later.len(), listed.len()), (1, 2), "{imported} {listed:?}");
    for it in &listed {
        let is_present = it["certificateId"] == imported["certificateId"];
        assert!(is_present || it["certificateId"] == later[0]["certificateId"], "{it}");
        assert_eq!(it["isInForce"], is_present, "{it}");
        let takes_over = if is_present { Value::Null } else { later[0]["from"].clone() };
        assert_eq!(it["takesOverAt"], takes_over, "{it}");
    }
    assert_eq!(imported["warnings"], Value::Array(vec![]));
    let shown = importer.cli.run(&["merchant", "show", "--merchant", &importer.merchant, "--mode", "test"]).json();
    assert_eq!(shown["certificate"]["notAfter"], imported["until"]);
}

/// The commands in the error message, run unchanged, write a file that can be imported.
#[tokio::test]
async fn a_file_in_an_unknown_encryption_is_rewritten_by_the_commands_in_the_refusal() {
    let importer = Importer::open("certificate_ciphers").await;
    let folder = importer.cli.folder();
    let make = "openssl req -x509 -config own.cnf -extensions sign -newkey rsa:2048 -nodes -keyout a.key -out a.pem \
            -days 300 -subj '/CN=Ana Prueba/serialNumber=IDCDO-00113918205'
        openssl pkcs12 -export -inkey a.key -in a.pem -out \"it's mine.p12\" -passout pass:trial \
            -keypbe CAMELLIA-256-CBC -certpbe CAMELLIA-256-CBC";
    openssl(folder, make);

    let refused = importer.import(&importer.cli.path("it's mine.p12"), &fixture("pw.txt"));
    let commands: Vec<&str> = refused.stderr.lines().filter(|line| line.starts_with("openssl pkcs12 ")).collect();
    let [read, write] = commands.as_slice() else { panic!("{refused:?}") };
    openssl(folder, &format!("{read} -passin pass:trial\n{write} -passout pass:trial"));
    let imported = importer.import(&importer.cli.path("certificate.p12"), &fixture("pw.txt")).json();

    assert!(!refused.is_success && refused.stderr.contains("encrypted in a way that is not supported"), "{refused:?}");
    assert_eq!(imported["serialNumber"], "IDCDO-00113918205");
}
