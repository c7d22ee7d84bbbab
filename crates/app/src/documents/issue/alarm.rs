use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument,
    fiscal::{DocumentStage, Issuance, ProblemCode},
};

/// Alerts an operator, once for each of these: the legal term of a document ends soon; a document was rejected for a
/// reason that no merchant can correct; a document waits for the set-up of the issuer, or for the modified document.
pub(super) fn alarm(document: &FiscalDocument, now: DateTime<Utc>) {
    let rejection = document.setup_rejection().filter(|it| it.times == 1 && it.at == now);
    if let Some(rejection) = rejection
        && rejection.code == ProblemCode::ModifiedDocumentUnknown
    {
        tracing::warn!(
            document = %document.facts.id,
            number = document.stage().numbered().map(|it| it.number.as_str()),
            "the authority does not know the document that a credit note modifies: the note is submitted again later"
        );
    } else if let Some(rejection) = rejection {
        tracing::error!(
            document = %document.facts.id,
            number = document.stage().numbered().map(|it| it.number.as_str()),
            problem = rejection.code.as_str(),
            is_number_spent = rejection.is_number_spent,
            "a document was rejected for its issuer's set-up: it is submitted again once the set-up is corrected"
        );
    }
    if let DocumentStage::Rejected(rejection) = document.stage()
        && !rejection.problem.code.is_correctable()
    {
        tracing::error!(
            document = %document.facts.id,
            number = rejection.numbered.as_ref().map(|it| it.number.as_str()),
            problem = rejection.problem.code.as_str(),
            "a document was rejected for a reason that its merchant cannot correct"
        );
    }
    let signed = document.stage().issuance().and_then(|issuance| issuance.stage.document());
    let Some(signed) = signed.filter(|signed| signed.term_warned_at == Some(now)) else { return };
    tracing::error!(
        document = %document.facts.id,
        number = signed.numbered.number.as_str(),
        signed_at = ?signed.signed.at,
        hours = Issuance::LEGAL_TERM.num_hours(),
        "a signed document has not reached the authority, and its legal term ends soon"
    );
}
