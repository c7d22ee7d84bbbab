use std::sync::Arc;

use domain::fiscal::{DocumentKind, ProblemCode, TaxId, Taxpayer};
use ports::TaxpayerDirectory;
use sandbox::{DEMO_RNC, Directory, Fault, Faults, Target, demo_buyers};

async fn find(tax_id: &str) -> Option<Taxpayer> {
    Directory::new(Arc::default()).find(&TaxId::parse(tax_id).unwrap()).await.unwrap()
}

#[tokio::test]
async fn a_company_buys_with_tax_credit() {
    let company = find(demo_buyers().company).await.unwrap();

    assert_eq!(company.tax_id.as_str(), demo_buyers().company);
    assert_eq!(company.problem_with(DocumentKind::FiscalCredit), None);
    assert_eq!(company.problem_with(DocumentKind::Government), Some(ProblemCode::BuyerNotEligibleForKind));
}

#[tokio::test]
async fn a_public_body_may_have_a_government_document() {
    let body = find(demo_buyers().government).await.unwrap();

    assert_eq!(body.problem_with(DocumentKind::Government), None);
}

#[tokio::test]
async fn a_suspended_taxpayer_is_listed_as_such() {
    let suspended = find(demo_buyers().suspended).await.unwrap();

    assert_eq!(suspended.problem_with(DocumentKind::FiscalCredit), Some(ProblemCode::BuyerTaxIdInactive));
}

#[tokio::test]
async fn a_person_is_listed_by_cedula() {
    let person = find(demo_buyers().person).await.unwrap();

    assert!(!person.tax_id.is_rnc());
    assert!(person.is_active && !person.is_government);
}

#[tokio::test]
async fn unknown_numbers_are_not_listed() {
    for tax_id in [demo_buyers().unknown, DEMO_RNC, "101850043", "222222222"] {
        assert_eq!(find(tax_id).await, None, "{tax_id}");
    }
}

#[tokio::test]
async fn each_fault_happens_to_one_question() {
    for fault in Fault::ALL {
        let faults = Arc::new(Faults::default());
        let directory = Directory::new(faults.clone());
        let company = TaxId::parse(demo_buyers().company).unwrap();
        faults.inject(Target::Directory, fault, 1).unwrap();

        let first = directory.find(&company).await;
        let second = directory.find(&company).await;

        match first {
            Ok(found) => assert_eq!((fault, found), (Fault::VisibilityLag, None)),
            Err(unavailable) => assert_eq!(unavailable.what, "the taxpayer directory"),
        }
        assert!(second.unwrap().is_some());
    }
}
