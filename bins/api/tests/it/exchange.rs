//! Requests of another taxpayer, with a certificate and signatures from outside.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{APPROVED_CARD, Sandbox, is_verified_by_xmlsec1, pause, sale};

const STUB: &str = "<Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><SignedInfo><CanonicalizationMethod \
    Algorithm=\"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\"/><SignatureMethod \
    Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\"/><Reference URI=\"\"><Transforms><Transform \
    Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/></Transforms><DigestMethod \
    Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"/><DigestValue></DigestValue></Reference></SignedInfo>\
    <SignatureValue></SignatureValue><KeyInfo><X509Data><X509Certificate></X509Certificate></X509Data></KeyInfo>\
    </Signature>";

/// Another taxpayer, at the endpoint of the sandbox's merchant.
struct Peer {
    folder: TempDir,
    base_url: String,
    client: Client,
    token: Option<String>,
}

impl Peer {
    async fn at(sandbox: &Sandbox) -> (Self, String) {
        let rnc = sandbox.client().get("/v1/merchant_profile").await.text("/rnc");
        let folder = TempDir::new().unwrap();
        run(
            folder.path(),
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 30 -subj /CN=Ana",
        );
        let base_url = format!("{}/testecf/{rnc}", sandbox.text("baseUrl"));
        (Self { folder, base_url, client: Client::new(), token: None }, rnc)
    }

    /// Signs the document with xmlsec1.
    fn sign(&self, xml: &str) -> String {
        self.sign_as(STUB, "key.pem,cert.pem", xml)
    }

    /// Signs the document with another template, or with a certificate chain.
    fn sign_as(&self, template: &str, keys: &str, xml: &str) -> String {
        String::from_utf8(self.sign_bytes(template, keys, xml.as_bytes())).unwrap()
    }

    /// Signs a document in any encoding. `xmlsec1` does not change the encoding.
    fn sign_bytes(&self, template: &str, keys: &str, xml: &[u8]) -> Vec<u8> {
        let end = xml.windows(2).rposition(|it| it == b"</").unwrap();
        let unsigned = [&xml[..end], template.as_bytes(), &xml[end..]].concat();
        fs::write(self.folder.path().join("in.xml"), unsigned).unwrap();
        run(self.folder.path(), &format!("xmlsec1 --sign --privkey-pem {keys} --output out.xml in.xml"));
        fs::read(self.folder.path().join("out.xml")).unwrap()
    }

    async fn seed(&self) -> String {
        let response = self.client.get(format!("{}/fe/autenticacion/api/semilla", self.base_url)).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        response.text().await.unwrap()
    }

    async fn post_file(&self, service: &str, file: impl AsRef<[u8]>) -> (StatusCode, String) {
        let head =
            "--b\r\nContent-Disposition: form-data; name=\"xml\"; filename=\"a.xml\"\r\nContent-Type: text/xml\r\n\r\n";
        let form = [head.as_bytes(), file.as_ref(), b"\r\n--b--\r\n"].concat();
        let request = self.client.post(format!("{}/{service}", self.base_url)).body(form);
        let request = request.header("content-type", "multipart/form-data; boundary=b");
        let request = match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        let response = request.send().await.unwrap();
        (response.status(), response.text().await.unwrap())
    }

    async fn authenticate(mut self) -> Self {
        let signed = self.sign(&self.seed().await);
        let (status, response) = self.post_file("fe/autenticacion/api/ValidacionCertificado", &signed).await;
        assert_eq!(status, StatusCode::OK, "{response}");
        let response: Value = serde_json::from_str(&response).unwrap();
        assert!(response["expira"].as_str() > response["expedido"].as_str(), "{response}");
        self.token = Some(response["token"].as_str().unwrap().to_owned());
        self
    }

    /// Sends a document. Returns the acknowledgement, and its state with the reason.
    async fn send_document(&self, xml: impl AsRef<[u8]>) -> (String, String) {
        let (status, response) = self.post_file("fe/Recepcion/api/ecf", xml).await;
        assert_eq!(status, StatusCode::OK, "{response}");
        assert!(is_verified_by_xmlsec1(response.as_bytes()), "{response}");
        assert_valid("ARECF v1.0.xsd", &response);
        let inside = |name: &str| {
            let after = response.split(&format!("<{name}>")).nth(1);
            after.and_then(|it| it.split('<').next()).unwrap_or_default().to_owned()
        };
        (response.clone(), inside("Estado") + &inside("CodigoMotivoNoRecibido"))
    }
}

fn run(folder: &Path, script: &str) {
    let output = Command::new("sh").args(["-c", script]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Asserts that the document is valid by its schema.
fn assert_valid(schema: &str, xml: &str) {
    let folder = TempDir::new().unwrap();
    let (file, xsd) = (folder.path().join("document.xml"), folder.path().join("schema.xsd"));
    fs::write(&file, xml).unwrap();
    fs::write(&xsd, ecf_schemas::xsd(schema).unwrap()).unwrap();
    let verdict = Command::new("xmllint").arg("--noout").arg("--schema").arg(xsd).arg(file).output().unwrap();
    assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stderr));
}

/// Document from another taxpayer for `recipient`, with the fields that this crate reads.
fn bill(recipient: &str, number: &str, total: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><ECF><Encabezado><Version>1.0</Version><IdDoc><TipoeCF>31</TipoeCF>\
         <eNCF>{number}</eNCF></IdDoc><Emisor><RNCEmisor>131880600</RNCEmisor><FechaEmision>01-03-2026</FechaEmision>\
         </Emisor><Comprador><RNCComprador>{recipient}</RNCComprador></Comprador><Totales><MontoTotal>{total}</MontoTotal>\
         </Totales></Encabezado><DetallesItems><Item><NumeroLinea>1</NumeroLinea></Item></DetallesItems>\
         <FechaHoraFirma>01-03-2026 12:00:00</FechaHoraFirma></ECF>"
    )
}

#[tokio::test]
async fn documents_of_others_are_received_once_and_acknowledged_with_a_signature() {
    let sandbox = Sandbox::start().await;
    let (peer, rnc) = Peer::at(&sandbox).await;
    assert_valid("Semilla v.1.0.xsd", &peer.sign(&peer.seed().await));
    let peer = peer.authenticate().await;

    let document = peer.sign(&bill(&rnc, "E310000000001", "118.00"));
    let (first, received) = peer.send_document(&document).await;
    let (again, _) = peer.send_document(&document).await;
    let (_, other) = peer.send_document(&peer.sign(&bill(&rnc, "E310000000001", "119.00"))).await;
    let (_, of_others) = peer.send_document(&peer.sign(&bill("101000007", "E310000000002", "1.00"))).await;
    let altered = peer.sign(&bill(&rnc, "E310000000003", "1.00")).replace(">1.00<", ">2.00<");
    let (_, altered) = peer.send_document(&altered).await;
    let (_, wrong_kind) = peer.send_document(&peer.sign(&bill(&rnc, "E320000000003", "1.00"))).await;

    assert_eq!((received.as_str(), other.as_str(), of_others.as_str()), ("0", "13", "14"));
    assert_eq!((altered.as_str(), wrong_kind.as_str()), ("12", "11"));
    assert_eq!(first, again, "the same bytes get the same answer");
}

/// Creates a certificate under an intermediate CA, with the key: `leaf.key`, `leaf.pem`, `sub.pem`,
/// `root.pem`.
const CHAIN: &str = "openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 30 -subj /CN=Root && \
    openssl req -x509 -newkey rsa:2048 -nodes -keyout sub.key -out sub.pem -days 30 -subj /CN=Sub -CA root.pem -CAkey root.key && \
    openssl req -x509 -newkey rsa:2048 -nodes -keyout leaf.key -out leaf.pem -days 30 -subj /CN=Leaf -CA sub.pem -CAkey sub.key";

#[tokio::test]
async fn signatures_of_other_systems_are_accepted_by_the_inbox() {
    let inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
    let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
    let second = |form: &str| STUB.replace("</Transforms>", &format!("<Transform Algorithm=\"{form}\"/></Transforms>"));
    let transform = format!("<Transform Algorithm=\"{exclusive}\"/></Transforms>");
    let sandbox = Sandbox::start().await;
    let (peer, rnc) = Peer::at(&sandbox).await;
    let peer = peer.authenticate().await;
    run(peer.folder.path(), CHAIN);

    let own = "key.pem,cert.pem";
    let cases = [
        (second(inclusive), own, "0"),
        (second(exclusive), own, "0"),
        (STUB.replace(inclusive, exclusive), own, "0"),
        (STUB.replace(inclusive, &format!("{inclusive}#WithComments")), own, "0"),
        (STUB.to_owned(), "leaf.key,leaf.pem,sub.pem,root.pem", "0"),
        (STUB.replace("<Signature xmlns", "<Signature Id=\"s\" xmlns"), own, "0"),
        (STUB.replace("<Reference URI=\"\">", "<Reference URI=\"\" Id=\"r\">"), own, "0"),
        (STUB.replace("</KeyInfo>", "</KeyInfo><Object><a xmlns=\"urn:a\">1</a></Object>"), own, "0"),
        (STUB.replace("<SignedInfo>", "<SignedInfo><!-- s -->"), own, "0"),
        (second(inclusive).replace("</Transforms>", &transform), own, "0"),
        (STUB.replace("rsa-sha256", "rsa-sha512"), own, "12"),
        (STUB.replace("<Reference URI=\"\">", "<Reference URI=\"#xpointer(/)\">"), own, "12"),
    ];
    for (number, (template, keys, verdict)) in cases.into_iter().enumerate() {
        let bill = bill(&rnc, &format!("E3100000001{number:02}"), "118.00");
        let with_comments = bill.replace("<Encabezado>", "<!-- a --><Encabezado>").replace("<ECF>", "<!-- b --><ECF>");
        let document = peer.sign_as(&template, keys, &with_comments);

        assert_eq!(peer.send_document(&document).await.1, verdict, "{document}");
    }
    let with_doctype = peer.sign(&bill(&rnc, "E310000000200", "118.00")).replace("<ECF>", "<!DOCTYPE ECF><ECF>");
    assert_eq!(peer.post_file("fe/recepcion/api/ecf", &with_doctype).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn documents_in_other_encodings_are_accepted_by_the_inbox() {
    let sandbox = Sandbox::start().await;
    let (peer, rnc) = Peer::at(&sandbox).await;
    let peer = peer.authenticate().await;

    for (number, (encoding, name)) in [
        ("ASCII", b"&#209;and&#250;".as_slice()),
        ("US-ASCII", b"&#209;and&#250;"),
        ("UTF8", "Ñandú".as_bytes()),
        ("ISO-8859-1", b"\xd1and\xfa"),
        ("windows-1252", b"\xd1and\xfa \x80"),
    ]
    .into_iter()
    .enumerate()
    {
        let bill = bill(&rnc, &format!("E3100000003{number:02}"), "118.00").replace("utf-8", encoding);
        let (start, end) = bill.split_at(bill.find("</Emisor>").unwrap());
        let bill = [start.as_bytes(), b"<RazonSocialEmisor>", name, b"</RazonSocialEmisor>", end.as_bytes()].concat();
        let signed = peer.sign_bytes(STUB, "key.pem,cert.pem", &bill);

        let (first, verdict) = peer.send_document(&signed).await;
        let (again, _) = peer.send_document(&signed).await;

        assert_eq!((verdict.as_str(), &again), ("0", &first), "{encoding}");
    }
    let other = peer.sign(&bill(&rnc, "E310000000400", "118.00")).replace("utf-8", "ISO-8859-15");
    assert_eq!(peer.post_file("fe/recepcion/api/ecf", &other).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn an_oversized_seed_is_refused_before_its_signature_is_verified() {
    let sandbox = Sandbox::start().await;
    let (peer, _) = Peer::at(&sandbox).await;
    let seed = peer.seed().await.replace("</SemillaModel>", &format!("{}</SemillaModel>", "<a/>".repeat(200)));

    let (status, _) = peer.post_file("fe/autenticacion/api/validacioncertificado", &peer.sign(&seed)).await;

    assert_eq!(status, StatusCode::BAD_REQUEST);
}

/// Memory of the process in MiB, by this field of `/proc/PID/status`.
fn memory(sandbox: &Sandbox, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", sandbox.server.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

/// Eight documents of 2 MB at once took 1.3 GB, and 980 MB stayed. This build without optimization needs 80 MiB idle.
#[tokio::test]
async fn long_documents_at_once_take_bounded_memory_and_return_it() {
    let sandbox = Sandbox::start().await;
    let (peer, rnc) = Peer::at(&sandbox).await;
    let peer = peer.authenticate().await;
    let items = "<Item><NumeroLinea>1</NumeroLinea></Item>";
    let long = bill(&rnc, "E310000000001", "118.00").replace(items, &items.repeat(47_000));
    let long = peer.sign(&long);

    let sent = join_all((0..8).map(|_| peer.post_file("fe/recepcion/api/ecf", &long))).await;

    let states: Vec<bool> = sent.iter().map(|(_, response)| response.contains("<Estado>0</Estado>")).collect();
    assert_eq!(states, [true; 8], "{}", sent[0].1);
    assert!(memory(&sandbox, "VmHWM") < 300, "{} MiB", memory(&sandbox, "VmHWM"));
    let begun = Instant::now();
    while memory(&sandbox, "VmRSS") >= 130 {
        assert!(begun.elapsed() < Duration::from_secs(150), "{} MiB", memory(&sandbox, "VmRSS"));
        pause().await;
    }
}

#[tokio::test]
async fn access_without_a_signed_seed_is_refused() {
    let sandbox = Sandbox::start().await;
    let (mut peer, rnc) = Peer::at(&sandbox).await;
    let document = peer.sign(&bill(&rnc, "E310000000001", "118.00"));

    let (without_token, _) = peer.post_file("fe/recepcion/api/ecf", &document).await;
    peer.token = Some("AAAA".to_owned());
    let (forger, _) = peer.post_file("fe/aprobacioncomercial/api/ecf", &document).await;
    let seed = peer.seed().await;
    let (unsigned, _) = peer.post_file("fe/autenticacion/api/validacioncertificado", &seed).await;
    let own = peer.sign("<SemillaModel><valor>AAAA</valor><fecha>2026-03-01T12:00:00-04:00</fecha></SemillaModel>");
    let (own, _) = peer.post_file("fe/autenticacion/api/validacioncertificado", &own).await;
    let hostile =
        "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><SemillaModel><valor>&b;</valor></SemillaModel>";
    let (hostile, _) = peer.post_file("fe/autenticacion/api/validacioncertificado", hostile).await;
    let long = format!("{}{}", seed, " ".repeat(64 * 1024));
    let (_, long) = peer.post_file("fe/autenticacion/api/validacioncertificado", &long).await;
    peer.base_url = format!("{}/testecf/101000007", sandbox.text("baseUrl"));
    let unknown_issuer =
        peer.client.get(format!("{}/fe/autenticacion/api/semilla", peer.base_url)).send().await.unwrap();

    assert_eq!((without_token, forger), (StatusCode::UNAUTHORIZED, StatusCode::UNAUTHORIZED));
    assert_eq!((unsigned, own, hostile), (StatusCode::BAD_REQUEST, StatusCode::BAD_REQUEST, StatusCode::BAD_REQUEST));
    assert!(long.contains("El archivo es demasiado grande."), "{long}");
    assert_eq!(unknown_issuer.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn approval_by_a_buyer_is_stored_for_the_matching_document_only() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let buyer = sandbox.ready["demoBuyers"]["company"].as_str().unwrap().to_owned();
    let mut request = sale("credit");
    request["fiscalDocument"]["kind"] = "fiscal_credit".into();
    request["fiscalDocument"]["buyer"] = json!({ "identityKind": "domestic", "taxId": buyer });
    let created = client.create_sale("credit", &request).await;
    client.pay(&created, APPROVED_CARD, "pay").await.unwrap();
    let document = client.issued(&created).await;
    let xml = client.bytes(&format!("/v1/fiscal_documents/{}/signed-document", created.document)).await;
    let xml = String::from_utf8(xml).unwrap();
    let issue_date = xml.split("<FechaEmision>").nth(1).unwrap().split('<').next().unwrap();
    let number = document["fiscalNumber"].as_str().unwrap();
    let (peer, rnc) = Peer::at(&sandbox).await;
    let peer = peer.authenticate().await;
    let approval_of = |total: &str, buyer: &str, state: &str| {
        let approval = peer.sign(&format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><ACECF><DetalleAprobacionComercial><Version>1.0</Version>\
             <RNCEmisor>{rnc}</RNCEmisor><eNCF>{number}</eNCF><FechaEmision>{issue_date}</FechaEmision>\
             <MontoTotal>{total}</MontoTotal><RNCComprador>{buyer}</RNCComprador>{state}\
             <FechaHoraAprobacionComercial>01-03-2026 12:00:00</FechaHoraAprobacionComercial>\
             </DetalleAprobacionComercial></ACECF>"
        ));
        assert_valid("ACECF v.1.0.xsd", &approval);
        approval
    };
    let accepted = approval_of("1280.00", &buyer, "<Estado>1</Estado>");
    let rejected = "<Estado>2</Estado><DetalleMotivoRechazo>Nunca lo pedí</DetalleMotivoRechazo>";

    let mut statuses = Vec::new();
    for approval in [
        &approval_of("1280.01", &buyer, "<Estado>1</Estado>"),
        &approval_of("1280.00", "131880600", "<Estado>1</Estado>"),
        &accepted.replace("<Estado>1<", "<Estado>2<"),
        &accepted,
        &accepted,
        &approval_of("1280.00", &buyer, rejected),
    ] {
        statuses.push(peer.post_file("fe/aprobacioncomercial/api/ecf", approval).await.0.as_u16());
    }

    assert_eq!(statuses, [400, 400, 400, 200, 200, 400]);
}

#[tokio::test]
async fn slow_delivery_does_not_block_others() {
    let sandbox = Sandbox::start().await;
    let (peer, rnc) = Peer::at(&sandbox).await;
    let address = sandbox.text("baseUrl").strip_prefix("http://").unwrap();
    let head = format!(
        "POST /testecf/{rnc}/fe/autenticacion/api/validacioncertificado HTTP/1.1\r\nhost: {address}\r\n\
         content-type: application/xml\r\ncontent-length: 1000\r\n\r\n<"
    );

    let mut slow = Vec::new();
    for _ in 0..300 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let mut response = [0; 12];
    slow.last_mut().unwrap().read_exact(&mut response).await.unwrap();
    let merchant = sandbox.client().get("/v1/payments").await;
    let page = peer.client.get(format!("http://{address}/p/payment_0")).send().await.unwrap();

    assert_eq!(&response, b"HTTP/1.1 429", "they have taken what there is for them");
    assert_eq!((merchant.status, page.status()), (200, StatusCode::NOT_FOUND));
}
