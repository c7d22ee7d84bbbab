//! Documents from other taxpayers.

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};
use domain::{
    Mode,
    fiscal::{CommercialApproval, Environment, IncomingDocument, Inflow, TaxId},
    text::{BoundedText, Digits},
};
use ports::{ReceivedDocument, StoredApproval, Tenant};

use super::{Stores, done, stale};
use crate::sample::{self, merchant_id, noon, tenant};

const TEST: Environment = Environment::PreCertification;

fn day() -> NaiveDate {
    sample::today()
}

fn received(number: &str, total_minor_units: i64) -> ReceivedDocument {
    let document = IncomingDocument {
        ecf_type: 31,
        number: BoundedText::parse(number).expect("13 symbols"),
        sender: Digits::parse("131880600").expect("digits"),
        recipient: Digits::parse("101850043").expect("digits"),
        issue_date: day(),
        total_minor_units,
    };
    ReceivedDocument {
        document,
        environment: TEST,
        received_at: noon(),
        xml: b"<ECF>\xc3\xb1</ECF>".to_vec(),
        acknowledgement: "<ARECF>signed</ARECF>".to_owned(),
    }
}

/// Tenants are found by the tax id of their profile, in the mode of the environment only.
pub async fn recipients_are_found_by_their_number(stores: &Stores) {
    let own = sample::profile().rnc.expect("the sample has one");
    let find =
        async |rnc: &TaxId, environment| stores.interchange.recipients(rnc, environment).await.expect("an answer");

    assert_eq!(find(&own, TEST).await, [tenant()]);
    assert_eq!(find(&own, Environment::Certification).await, [tenant()]);
    assert_eq!(find(&TaxId::parse("101000007").expect("an RNC"), TEST).await, []);
}

/// Per sender and number one document is stored, byte for byte, and each tenant sees only its own.
pub async fn a_received_document_is_stored_once(stores: &Stores) {
    let (first, other) = (received("E310000000001", 118_00), received("E310000000002", i64::MAX));

    for it in [&first, &other] {
        done(stores.interchange.store_received(&tenant(), it.clone()).await, "a new document");
    }
    stale(stores.interchange.store_received(&tenant(), received("E310000000001", 119_00)).await);

    let stranger = Tenant { merchant: merchant_id(9), ..tenant() };
    let find = async |whose: &Tenant, environment, number: &str| {
        stores.interchange.received(whose, environment, "131880600", number).await.expect("an answer")
    };
    assert_eq!(find(&tenant(), TEST, "E310000000001").await, Some(first));
    assert_eq!(find(&tenant(), TEST, "E310000000002").await, Some(other));
    assert_eq!(find(&tenant(), TEST, "E310000000003").await, None);
    assert_eq!(find(&tenant(), Environment::Certification, "E310000000001").await, None);
    assert_eq!(find(&stranger, TEST, "E310000000001").await, None);
}

/// Recent documents are counted for each tenant, by sender and in total.
pub async fn recent_documents_are_counted(stores: &Stores) {
    let minute = |n| noon() + TimeDelta::minutes(n);
    for (number, sender, at) in [(1, "131880600", 0), (2, "131880600", 2), (3, "101000007", 1)] {
        let mut it = ReceivedDocument { received_at: minute(at), ..received(&format!("E31000000000{number}"), 1_00) };
        it.document.sender = Digits::parse(sender).expect("digits");
        done(stores.interchange.store_received(&tenant(), it).await, "a new document");
    }

    let count = async |whose: &Tenant, since| {
        stores.interchange.inflow(whose, "131880600", minute(since)).await.expect("an answer")
    };
    let of = |documents| Inflow { documents, bytes: documents * received("E310000000001", 1_00).xml.len() as u64 };

    assert_eq!(count(&tenant(), 0).await, (of(2), of(3)));
    assert_eq!(count(&tenant(), 1).await, (of(1), of(2)));
    assert_eq!(count(&tenant(), 3).await, (of(0), of(0)));
    assert_eq!(count(&Tenant { merchant: merchant_id(9), ..tenant() }, 0).await, (of(0), of(0)));
}

/// A document is found by number, and the buyer's approval is stored once.
pub async fn the_buyers_approval_is_stored_with_the_document(stores: &Stores) {
    let (before, after) = (sample::sale(1), sample::issued(1));
    stores.commit(sample::creation(&before)).await;
    stores.commit(sample::update(&before, &after)).await;
    let facts = &after.document.facts;
    let number = sample::numbered(1).number;
    let decided_at = NaiveDateTime::new(day(), Default::default()) + TimeDelta::seconds(61);
    let approval = CommercialApproval {
        issuer: Digits::parse(facts.issuer.rnc.as_str()).expect("digits"),
        number: BoundedText::parse(number.as_str()).expect("13 symbols"),
        issue_date: day(),
        total_minor_units: 1_280_00,
        buyer: Digits::parse("101000007").expect("digits"),
        is_accepted: false,
        reason: BoundedText::parse("Nunca lo ped\u{ed}"),
        decided_at,
    };
    let stored = StoredApproval { document: facts.id.clone(), approval, received_at: noon(), xml: vec![0, 255] };

    let find = async |whose: &Tenant, number: &str| {
        let found = stores.interchange.document_of(whose, TEST, &facts.issuer.rnc, number).await.expect("an answer");
        found.map(|it| it.facts.id)
    };
    assert_eq!(find(&tenant(), number.as_str()).await, Some(facts.id.clone()));
    assert_eq!(find(&tenant(), "E320000000009").await, None);
    assert_eq!(find(&Tenant { mode: Mode::Live, ..tenant() }, number.as_str()).await, None);
    assert_eq!(stores.interchange.approval(&tenant(), &facts.id).await.expect("an answer"), None);
    done(stores.interchange.store_approval(&tenant(), stored.clone()).await, "the first");
    stale(stores.interchange.store_approval(&tenant(), stored.clone()).await);

    assert_eq!(stores.interchange.approval(&tenant(), &facts.id).await.expect("an answer"), Some(stored));
}
