use chrono::{DateTime, Utc};
use domain::{
    FiscalDocument,
    fiscal::{DocumentStage, Issuance},
};

/// Calls a person, once for each: where the term within which a document has to be sent ends soon, where one was refused for
/// what no merchant can mend, and where one waits for how its issuer is set up.
pub(super) fn alarm(document: &FiscalDocument, now: DateTime<Utc>) {
    if let Some(rejection) = document.setup_rejection().filter(|it| it.times == 1 && it.at == now) {
        tracing::error!(
            document = %document.facts.id,
            number = document.stage().numbered().map(|it| it.number.as_str()),
            problem = rejection.code.as_str(),
            is_number_spent = rejection.is_number_spent,
            "a document was refused for how its issuer is set up: it goes out again once that is mended"
        );
    }
    if let DocumentStage::Rejected(rejection) = document.stage()
        && !rejection.problem.code.is_correctable()
    {
        tracing::error!(
            document = %document.facts.id,
            number = rejection.numbered.as_ref().map(|it| it.number.as_str()),
            problem = rejection.problem.code.as_str(),
            "a document was refused for what its merchant cannot mend"
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
