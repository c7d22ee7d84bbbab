use domain::{
    AnnulmentId,
    fiscal::{
        Annulment, AnnulmentState, AnnulmentVerdict, DocumentKind, Environment, FiscalNumber, NumberRange, ProblemCode,
        Remains,
    },
};
use ports::{NumberLedger, RangeAuthority, SignedAnnulment, Tenant, Unavailable, Withdrawal};

use super::{error::SetupError, surrender::give_up_numbers};
use crate::{
    Ports, StoredIdentities, Unexpected,
    transact::{Step, transact},
};

/// Request to annul fiscal numbers.
#[derive(Clone, Copy, Debug)]
pub struct AnnulmentRequest {
    /// Of which kind.
    pub kind: DocumentKind,
    /// In which environment.
    pub environment: Environment,
    /// The first number of the range. By default, the range that contains `from`.
    pub range: Option<u64>,
    /// First number; `None` for the next number of the range.
    pub from: Option<u64>,
    /// Last number; `None` for the last of the range, or for `from` if a document had that number.
    pub to: Option<u64>,
}

/// Outcome of an annulment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnulmentOutcome {
    /// The current state of the annulment.
    pub annulment: Annulment,
    /// The reason, if the authority did not receive the annulment.
    pub not_sent: Option<AnnulmentNotSent>,
}

/// Reason why the authority provably did not receive an annulment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnulmentNotSent {
    /// The authority is unreachable.
    Unreachable,
    /// The authority refused the login.
    Blocked(ProblemCode),
}

/// The number ledger, and the authority for annulments.
#[derive(Clone, Copy)]
#[expect(missing_docs, reason = "the traits document themselves")]
pub struct AnnulmentPorts<'a> {
    pub ledger: &'a dyn NumberLedger,
    pub authority: &'a dyn RangeAuthority,
}

/// Annuls numbers that were never assigned, or that the refusals of their documents did not spend. Uses the sales,
/// their revisions, the certificates, the composer, the signer, the ledger and the authority.
///
/// The signed annulment is durable before the authority receives it, and no document can be assigned the numbers any
/// more. After a crash the annulment is resumed.
pub async fn annul_numbers(
    ports: &Ports,
    annulments: AnnulmentPorts<'_>,
    tenant: &Tenant,
    request: AnnulmentRequest,
) -> Result<AnnulmentOutcome, SetupError> {
    let identities = &StoredIdentities::of(ports);
    let identity = identities.identity(tenant).await?;
    let identity = &identity.ok_or(SetupError::Invalid("there is no certificate in force to sign the annulment"))?;
    let cut = transact(ports, |_| async move {
        let range = find(annulments.ledger, tenant, request).await?;
        let (first, last) = bounds(&range, request);
        let (to, documents) = if first.max(last) < range.next {
            let given_up = give_up_numbers(ports, annulments.ledger, tenant, (&range, first, last)).await?;
            (Remains { range: range.clone(), beyond: None }, given_up)
        } else {
            (range.without(first, last)?, Vec::new())
        };
        let annulment = intended(ports, &range, (first, last));
        let xml = ports.composer.annul(&annulment).map_err(|error| SetupError::Internal(error.into()))?;
        let signed = identities.sign(identity, xml).await.map_err(|error| SetupError::Internal(error.into()))?;
        let xml = signed.xml.into_bytes();
        let (tenant, stored) = (tenant.clone(), annulment.clone());
        let withdrawal = Withdrawal { tenant, from: range, to, documents, annulment: stored, xml: xml.clone() };
        match annulments.ledger.withdraw(withdrawal).await {
            // If a document was assigned a number meanwhile, the next round reads the remaining numbers.
            Ok(committed) => Ok(Step::Wrote(committed, (annulment, xml))),
            // The write may have succeeded before the response was lost.
            Err(error) => Err(SetupError::Uncut(annulment.id, error.into())),
        }
    });
    send(ports, annulments, tenant, cut.await?, false).await
}

/// Sends an annulment again that the authority has not taken, byte for byte.
pub async fn resume_annulment(
    ports: &Ports,
    annulments: AnnulmentPorts<'_>,
    tenant: &Tenant,
    id: &AnnulmentId,
) -> Result<AnnulmentOutcome, SetupError> {
    let found = annulments.ledger.annulment(tenant, id).await?;
    let (annulment, xml) = found.ok_or(SetupError::Invalid("there is no such annulment"))?;
    if annulment.state == AnnulmentState::Annulled {
        return Ok(AnnulmentOutcome { annulment, not_sent: None });
    }
    // The authority rejected the last request, so a new response is about this one.
    let is_in_doubt = annulment.state == AnnulmentState::Unresolved;
    send(ports, annulments, tenant, (annulment, xml), is_in_doubt).await
}

async fn send(
    ports: &Ports,
    annulments: AnnulmentPorts<'_>,
    tenant: &Tenant,
    (annulment, xml): (Annulment, Vec<u8>),
    is_again: bool,
) -> Result<AnnulmentOutcome, SetupError> {
    let first = FiscalNumber::new(annulment.kind, annulment.first);
    let unsettled = |error: Unexpected| SetupError::Unsettled(annulment.id.clone(), error);
    let first = first.ok_or_else(|| unsettled("the annulment is of numbers that there are not".into()))?;
    let sent = SignedAnnulment {
        is_again,
        tenant: tenant.clone(),
        environment: annulment.environment,
        issuer: annulment.issuer.clone(),
        file_name: format!("{}{first}.xml", annulment.issuer.as_str()),
        xml,
    };
    let verdict = annulments.authority.annul(sent).await;
    let not_sent = match &verdict {
        AnnulmentVerdict::Blocked(code) => Some(AnnulmentNotSent::Blocked(*code)),
        AnnulmentVerdict::Unavailable => Some(AnnulmentNotSent::Unreachable),
        _ => None,
    };
    let annulment = annulment.apply_verdict(verdict, ports.clock.now());
    // From here on the authority may have the numbers: no failure may report that they were not annulled.
    let unsettled = |error: Unavailable| SetupError::Unsettled(annulment.id.clone(), error.into());
    annulments.ledger.settle(tenant, &annulment).await.map_err(unsettled)?;
    Ok(AnnulmentOutcome { annulment, not_sent })
}

async fn find(
    ledger: &dyn NumberLedger,
    tenant: &Tenant,
    request: AnnulmentRequest,
) -> Result<NumberRange, SetupError> {
    let is_named = |it: &NumberRange| match (request.range, request.from) {
        (Some(first), _) => it.first == first,
        (None, Some(from)) => (it.first..=it.last).contains(&from),
        (None, None) => false,
    };
    let is_selected =
        |it: &NumberRange| it.kind == request.kind && it.environment == request.environment && is_named(it);
    let ranges = ledger.ranges(tenant).await?;
    ranges.into_iter().find(is_selected).ok_or(SetupError::Invalid(match request.range {
        Some(_) => "no range begins with that number",
        None => NO_RANGE,
    }))
}

/// Message for a number outside of all ranges.
pub(super) const NO_RANGE: &str = "no range contains that number: it was never granted, or annulled before";

fn intended(ports: &Ports, range: &NumberRange, (first, last): (u64, u64)) -> Annulment {
    Annulment {
        id: AnnulmentId::new(&ports.ids.generate()),
        issuer: range.issuer.clone(),
        environment: range.environment,
        kind: range.kind,
        range: range.first,
        first,
        last,
        intended_at: ports.clock.now(),
        state: AnnulmentState::Unresolved,
        settled_at: None,
        authority_messages: Vec::new(),
    }
}

/// First and last number.
fn bounds(range: &NumberRange, request: AnnulmentRequest) -> (u64, u64) {
    let first = request.from.unwrap_or(range.next);
    let last = if first < range.next { first } else { range.last };
    (first, request.to.unwrap_or(last))
}
