use chrono::{DateTime, Utc};
use domain::fiscal::{
    Acceptance, Dispatch, DocumentStage, Issuance, IssuanceStage, Issued, Numbered, Observation, Printed, Problem,
    QueuePosition, Rejection, RenderRetry, Resubmission, ResubmissionMode, SetupRejection, Signed, SignedDocument,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    json,
    json::{Json, Own, Ref, names, record, tagged, via},
    parse,
};

/// Returns the facts of a document's stage; a requested document has none.
pub(crate) fn stage_text(stage: &DocumentStage) -> Option<String> {
    Some(match stage {
        DocumentStage::Requested => return None,
        DocumentStage::Issuing(issuance) => json(issuance),
        DocumentStage::Delayed(issuance, problem) => super::text(&(Ref(issuance), Ref(problem))),
        DocumentStage::Issued(issued) => json(issued),
        DocumentStage::Rejected(rejection) => json(rejection),
        DocumentStage::Canceled { at } => json(at),
    })
}

/// Reads the stage `status`. Returns `None` if the facts are not exactly those of the stage.
pub(crate) fn read_stage(status: &str, facts: Option<&str>) -> Option<DocumentStage> {
    let stage = match (status, facts) {
        ("requested", None) => DocumentStage::Requested,
        ("issuing", Some(facts)) => DocumentStage::Issuing(parse(facts)?),
        ("delayed", Some(facts)) => {
            let (issuance, problem) = parse(facts)?;
            DocumentStage::Delayed(issuance, problem)
        }
        ("issued", Some(facts)) => DocumentStage::Issued(parse(facts)?),
        ("rejected", Some(facts)) => DocumentStage::Rejected(parse(facts)?),
        ("canceled", Some(facts)) => DocumentStage::Canceled { at: parse(facts)? },
        _ => return None,
    };
    stage.check().is_ok().then_some(stage)
}

names!(QueuePosition { Outside = "outside", Queued = "queued", Skipped = "skipped" });
names!(ResubmissionMode { SameBytes = "same_bytes", Resign = "resign", Renumber = "renumber" });

record!(strict Issuance { stage, submissions, waits, next_attempt_at });
// `duplicates` is followed by another field: the query of contested numbers looks for `"duplicates":0,`.
tagged!(IssuanceStage by "awaiting" {
    "number" { rejection } => [Self::AwaitingNumber { rejection }],
    "signature" { numbered, duplicates, resubmission } => [
        Self::AwaitingSignature { numbered, duplicates, resubmission }
    ],
    "submission" { dispatch, submitted_at } => [Self::AwaitingSubmission { dispatch, submitted_at }],
    "verdict" { dispatch, submitted_at, track_id } => [Self::AwaitingVerdict { dispatch, submitted_at, track_id }],
    "setup" { document, submitted_at, is_skipped, rejection } => [
        Self::AwaitingSetup { document, submitted_at, is_skipped, rejection }
    ],
});
record!(strict Dispatch { document, queue, resubmission });
record!(strict SignedDocument { numbered, signed, duplicates, term_warned_at });
record!(strict Resubmission { rejection, mode });
record!(Numbered { number, valid_until, issue_date });
record!(Signed { at, security_code, sha256, size_bytes, printed });
record!(Printed { sha256, size_bytes });
record!(Problem { code, since });
record!(Issued { numbered, signed, at, acceptance as "observations", render_retry });
record!(Rejection { at, problem, numbered, is_number_spent, authority_messages });

via!(Observation as (String, String):
    |message| (message.code.clone(), message.message.clone()),
    |(code, message)| Some(Self { code, message })
);
via!(RenderRetry as (u8, DateTime<Utc>): |retry| (retry.retries, retry.at), |(retries, at)| Some(Self { retries, at }));
via!(Acceptance as Option<Vec<Observation>>:
    |acceptance| match acceptance {
        Self::Accepted => None,
        Self::WithObservations(observations) => Some(observations.clone()),
    },
    |observations| Some(observations.map_or(Self::Accepted, Self::WithObservations))
);

struct SetupRejectionRecord {
    problem: Problem,
    at: DateTime<Utc>,
    times: u32,
    is_number_spent: bool,
    authority_messages: Vec<Observation>,
}

record!(strict SetupRejectionRecord { problem, at, times, is_number_spent, authority_messages });
via!(SetupRejection as SetupRejectionRecord:
    |rejection| SetupRejectionRecord {
        problem: rejection.problem(),
        at: rejection.at,
        times: rejection.times,
        is_number_spent: rejection.is_number_spent,
        authority_messages: rejection.authority_messages.clone(),
    },
    |SetupRejectionRecord { problem: Problem { code, since }, at, times, is_number_spent, authority_messages }| {
        Some(Self { code, since, at, times, is_number_spent, authority_messages })
    }
);
