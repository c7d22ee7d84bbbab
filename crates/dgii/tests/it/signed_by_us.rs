//! Signed documents follow their schemas, and a verifier that shares no code with ours accepts their signatures.

use std::{fs, process::Command};

use chrono::TimeDelta;
use dgii::Composer;
use domain::{
    AnnulmentId, Symbols,
    fiscal::{
        Annulment, AnnulmentState,
        DocumentKind::{self, Consumer},
        Environment, TaxId,
        TaxTreatment::{Exempt, Itbis16, Itbis18, NonBillable, ZeroRated},
    },
};
use ports::{DocumentComposer, DocumentSigner, SigningIdentity};
use xml_signer::XmlSigner;

use crate::{
    schema::schema_of,
    support::{composed, content, described, line, noon, schema_in, summarized, tipped},
};

fn identity() -> SigningIdentity {
    let (from, until) = (noon() - TimeDelta::days(1), noon() + TimeDelta::days(3650));
    let made = xml_signer::self_signed_certificate("Rosa Prueba", "IDCDO-00113918205", from, until).unwrap();
    xml_signer::read_pkcs12(&made.pkcs12, &made.password).unwrap().remove(0).identity
}

async fn check(identity: &SigningIdentity, schema: &str, xml: String) {
    let signed = XmlSigner::new().sign(identity, xml).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (document, certificate) = (folder.path().join("document.xml"), folder.path().join("certificate.der"));
    fs::write(&document, &signed.xml).unwrap();
    fs::write(&certificate, &identity.certificate).unwrap();

    let mut verifiers = [Command::new("xmllint"), Command::new("xmlsec1")];
    verifiers[0].arg("--noout").arg("--schema").arg(schema_in(folder.path(), schema)).arg(&document);
    verifiers[1].arg("--verify").arg("--trusted-der").arg(&certificate).arg(&document);
    for verifier in &mut verifiers {
        let verdict = verifier.output().unwrap();
        assert!(verdict.status.success(), "{schema}: {}", String::from_utf8_lossy(&verdict.stderr));
    }
}

#[tokio::test]
async fn an_annulment_is_valid_by_schema_and_signature() {
    for (kind, first, last) in [(Consumer, 1, 1), (DocumentKind::FiscalCredit, 2, 9_999_999_999)] {
        let annulment = Annulment {
            id: AnnulmentId::new(&Symbols::spell(&[7; 16]).unwrap()),
            issuer: TaxId::parse("130000001").unwrap(),
            environment: Environment::Production,
            kind,
            range: 1,
            first,
            last,
            intended_at: noon(),
            state: AnnulmentState::Unresolved,
            settled_at: None,
            authority_messages: Vec::new(),
        };

        check(&identity(), "ANECF v.1.0.xsd", Composer.annul(&annulment).unwrap()).await;
    }
}

#[tokio::test]
async fn the_schema_and_an_independent_verifier_accept_every_kind_signed() {
    let identity = identity();
    let mixes: [&[_]; 4] = [&[Itbis18], &[Itbis16, ZeroRated], &[Exempt, NonBillable], &[Itbis18, Exempt, NonBillable]];
    for kind in DocumentKind::SALE {
        for mix in mixes {
            for is_tipped in [false, true] {
                let lines = mix.iter().map(|&treatment| {
                    let line = described("Café & \"té\" <niño> 'ñ'", line(treatment, "1.50", 100_33));
                    if is_tipped && treatment != NonBillable { tipped(line) } else { line }
                });
                let sale = content(kind, lines.collect());

                check(&identity, schema_of(kind), composed(sale.clone())).await;
                if kind == Consumer {
                    check(&identity, "RFCE 32 v.1.0.xsd", summarized(sale)).await;
                }
            }
        }
    }
}
