use app::{
    Ports, Tenant,
    operators::{inspect_document, reissue_document},
};
use domain::{
    FiscalDocument, FiscalDocumentId,
    fiscal::{DocumentStage, Issuance, Numbered, Observation, Problem, QueuePosition, SetupRejection},
};
use ports::Revision;
use serde_json::{Value, json};

use super::{owners, ports, ports_to_read, print};
use crate::{
    config::{DocumentCommand, DocumentOptions},
    failure::{Context, Done, Failure},
};

pub(crate) async fn run(command: DocumentCommand) -> Done {
    match command {
        DocumentCommand::Show(options) => {
            let (ports, tenant, document) = find(&options, ports_to_read(&options.operator).await?).await?;
            let found = inspect_document(&ports, &tenant, &document).await;
            let (sale, before) = found.or_fail("the document cannot be shown")?;
            let mut shown = of_document(&sale.document);
            shown["before"] = before.iter().map(of_revision).collect();
            print(&shown)
        }
        DocumentCommand::Reissue(options) => {
            let (ports, tenant, document) = find(&options, ports(&options.operator).await?).await?;
            let reissued = reissue_document(&ports, &tenant, &document).await;
            print(&of_document(&reissued.or_fail("the document was not issued again")?.document))
        }
    }
}

/// Finds a document with the owner.
async fn find(options: &DocumentOptions, ports: Ports) -> Done<(Ports, Tenant, FiscalDocumentId)> {
    let document = options.document().ok_or_else(|| Failure::new("the document is missing"))?.clone();
    for tenant in owners(&*ports.registry, &options.of).await? {
        let found = ports.sales.find_by_document(&tenant, &document).await.or_fail("the document cannot be read")?;
        if found.is_some() {
            return Ok((ports, tenant, document));
        }
    }
    Err(Failure::new("there is no such document"))
}

fn of_revision(revision: &Revision) -> Value {
    let mut shown = of_document(&revision.document);
    shown["replacedAt"] = revision.replaced_at.to_rfc3339().into();
    shown
}

/// Returns the status of a document, without the content.
pub(super) fn of_document(document: &FiscalDocument) -> Value {
    let mut shown = json!({
        "documentId": document.facts.id.as_str(),
        "paymentId": document.facts.payment.as_str(),
        "environment": document.facts.environment.as_str(),
        "kind": document.content().kind.as_str(),
        "revision": document.state().revision,
        "status": document.status().as_str(),
        "updatedAt": document.state().updated_at.to_rfc3339(),
    });
    let stage = match document.stage() {
        DocumentStage::Requested => Vec::new(),
        DocumentStage::Issuing(issuance) => of_issuance(issuance),
        DocumentStage::Delayed(issuance, problem) => {
            of_issuance(issuance).into_iter().chain([("problem", of_problem(problem))]).collect()
        }
        DocumentStage::Issued(issued) => vec![
            ("number", of_number(Some(&issued.numbered))),
            ("signedAt", issued.signed.at.to_rfc3339().into()),
            ("issuedAt", issued.at.to_rfc3339().into()),
        ],
        DocumentStage::Rejected(rejection) => vec![
            ("number", of_number(rejection.numbered.as_ref())),
            ("isNumberSpent", rejection.is_number_spent.into()),
            ("problem", of_problem(&rejection.problem)),
            ("said", of_words(&rejection.authority_messages).into()),
        ],
        DocumentStage::Canceled { at } => vec![("canceledAt", at.to_rfc3339().into())],
    };
    for (name, value) in stage {
        shown[name] = value;
    }
    shown
}

fn of_issuance(issuance: &Issuance) -> Vec<(&'static str, Value)> {
    let stage = &issuance.stage;
    vec![
        ("number", of_number(stage.numbered())),
        ("signedAt", stage.document().map(|it| it.signed.at.to_rfc3339()).into()),
        ("submittedAt", stage.submitted_at().map(|it| it.to_rfc3339()).into()),
        ("submissions", issuance.submissions.into()),
        ("duplicates", stage.duplicates().into()),
        ("trackId", stage.track_id().into()),
        ("nextAttemptAt", issuance.next_attempt_at.to_rfc3339().into()),
        ("isKept", (stage.queue() != QueuePosition::Outside).into()),
        ("isPassedOver", (stage.queue() == QueuePosition::Skipped).into()),
        ("refused", stage.last_rejection().map(of_rejection).into()),
    ]
}

fn of_rejection(rejection: &SetupRejection) -> Value {
    json!({
        "at": rejection.at.to_rfc3339(),
        "times": rejection.times,
        "isNumberSpent": rejection.is_number_spent,
        "said": of_words(&rejection.authority_messages),
    })
}

fn of_words(messages: &[Observation]) -> Vec<Value> {
    messages.iter().map(|it| json!({ "code": it.code, "message": it.message })).collect()
}

fn of_number(numbered: Option<&Numbered>) -> Value {
    numbered.map(|it| it.number.as_str()).into()
}

fn of_problem(problem: &Problem) -> Value {
    json!({ "code": problem.code.as_str(), "owner": problem.code.owner().as_str(), "since": problem.since.to_rfc3339() })
}
