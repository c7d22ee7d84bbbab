use domain::{
    AnnulmentId,
    fiscal::{
        Annulment, AnnulmentState, AnnulmentVerdict, DocumentKind, Environment, FiscalNumber, NotAnnullable,
        NumberRange, ProblemCode, Remains,
    },
};
use ports::{NumberLedger, RangeAuthority, RegistryError, SignedAnnulment, Tenant, Unavailable, Withdrawal};

use super::{error::SetupError, surrender::give_up_numbers};
use crate::{
    Ports, StoredIdentities, Unexpected,
    transact::{Step, transact},
};

/// Which numbers are given back.
#[derive(Clone, Copy, Debug)]
pub struct AnnulmentRequest {
    /// Of which kind.
    pub kind: DocumentKind,
    /// In which environment.
    pub environment: Environment,
    /// The first number of the range that they are of; the range that has `from` unless it is said.
    pub range: Option<u64>,
    /// First number; `None` for the next number of the range.
    pub from: Option<u64>,
    /// Last number; `None` for the last of the range, or for `from` if a document had that number.
    pub to: Option<u64>,
}

/// What came of giving numbers back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnulmentOutcome {
    /// The annulment as it stands.
    pub annulment: Annulment,
    /// Why the authority did not hear of it this time, if it did not.
    pub not_sent: Option<AnnulmentNotSent>,
}

/// Why the authority provably did not hear of numbers that were given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnulmentNotSent {
    /// It could not be reached.
    Unreachable,
    /// It did not let us in.
    Barred(ProblemCode),
}

/// Where numbers are accounted for, and who takes them back.
#[derive(Clone, Copy)]
#[expect(missing_docs, reason = "the traits document themselves")]
pub struct AnnulmentPorts<'a> {
    pub ledger: &'a dyn NumberLedger,
    pub authority: &'a dyn RangeAuthority,
}

/// Annuls numbers that were never assigned, or that the refusals of their documents did not spend. Uses the sales,
/// their revisions, the certificates, the composer, the signer, the ledger and the authority.
///
/// That no document gets them is durable, with what was signed, before the authority hears of it: a crash between the two
/// leaves an annulment that is resumed.
pub async fn annul_numbers(
    ports: &Ports,
    books: AnnulmentPorts<'_>,
    tenant: &Tenant,
    wish: AnnulmentRequest,
) -> Result<AnnulmentOutcome, SetupError> {
    let identities = &StoredIdentities::of(ports);
    let identity = identities.identity(tenant).await.map_err(silent)?;
    let identity = &identity.ok_or(SetupError::Invalid("there is no certificate in force to sign the annulment"))?;
    let cut = transact(ports, |_| async move {
        let range = find(books.ledger, tenant, wish).await?;
        let (first, last) = bounds(&range, wish);
        let (to, documents) = if first.max(last) < range.next {
            let given_up = give_up_numbers(ports, books.ledger, tenant, (&range, first, last)).await?;
            (Remains { range: range.clone(), beyond: None }, given_up)
        } else {
            (range.without(first, last).map_err(refused)?, Vec::new())
        };
        let annulment = intended(ports, &range, (first, last));
        let xml = ports.composer.annul(&annulment).map_err(|error| SetupError::Internal(error.into()))?;
        let signed = identities.sign(identity, xml).await.map_err(|error| SetupError::Internal(error.into()))?;
        let xml = signed.xml.into_bytes();
        let (tenant, kept) = (tenant.clone(), annulment.clone());
        let withdrawal = Withdrawal { tenant, from: range, to, documents, annulment: kept, xml: xml.clone() };
        match books.ledger.withdraw(withdrawal).await {
            // If a document was assigned a number meanwhile, the next round reads the remaining numbers.
            Ok(committed) => Ok(Step::Wrote(committed, (annulment, xml))),
            // The answer may be what was lost.
            Err(error) => Err(SetupError::Uncut(annulment.id, error.into())),
        }
    });
    send(ports, books, tenant, cut.await?, false).await
}

/// Sends an annulment again that the authority has not taken, byte for byte.
pub async fn resume_annulment(
    ports: &Ports,
    books: AnnulmentPorts<'_>,
    tenant: &Tenant,
    id: &AnnulmentId,
) -> Result<AnnulmentOutcome, SetupError> {
    let found = books.ledger.annulment(tenant, id).await.map_err(silent)?;
    let (annulment, xml) = found.ok_or(SetupError::Invalid("there is no such annulment"))?;
    if annulment.state == AnnulmentState::Annulled {
        return Ok(AnnulmentOutcome { annulment, not_sent: None });
    }
    // What was refused was not taken: nothing that is heard now is of that.
    let is_in_doubt = annulment.state == AnnulmentState::Unresolved;
    send(ports, books, tenant, (annulment, xml), is_in_doubt).await
}

async fn send(
    ports: &Ports,
    books: AnnulmentPorts<'_>,
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
    let verdict = books.authority.annul(sent).await;
    let not_sent = match &verdict {
        AnnulmentVerdict::Barred(code) => Some(AnnulmentNotSent::Barred(*code)),
        AnnulmentVerdict::Unavailable => Some(AnnulmentNotSent::Unreachable),
        _ => None,
    };
    let annulment = annulment.answered(verdict, ports.clock.now());
    // From here on the authority may have them: no failure may say that nothing was annulled.
    let unsettled = |error: Unavailable| SetupError::Unsettled(annulment.id.clone(), error.into());
    books.ledger.settle(tenant, &annulment).await.map_err(unsettled)?;
    Ok(AnnulmentOutcome { annulment, not_sent })
}

async fn find(ledger: &dyn NumberLedger, tenant: &Tenant, wish: AnnulmentRequest) -> Result<NumberRange, SetupError> {
    let is_named = |it: &NumberRange| match (wish.range, wish.from) {
        (Some(first), _) => it.first == first,
        (None, Some(from)) => (it.first..=it.last).contains(&from),
        (None, None) => false,
    };
    let is_meant = |it: &NumberRange| it.kind == wish.kind && it.environment == wish.environment && is_named(it);
    let ranges = ledger.ranges(tenant).await.map_err(silent)?;
    ranges.into_iter().find(is_meant).ok_or(SetupError::Invalid(match wish.range {
        Some(_) => "there is no range that begins with that number",
        None => "there is no range with that number: it was never granted, or annulled before",
    }))
}

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
        said: Vec::new(),
    }
}

/// First and last number.
fn bounds(range: &NumberRange, wish: AnnulmentRequest) -> (u64, u64) {
    let first = wish.from.unwrap_or(range.next);
    let last = if first < range.next { first } else { range.last };
    (first, wish.to.unwrap_or(last))
}

pub(super) const fn refused(why: NotAnnullable) -> SetupError {
    SetupError::Invalid(match why {
        NotAnnullable::NothingLeft => "no number of the range is left",
        NotAnnullable::Outside => "they are not numbers that the range has",
        NotAnnullable::Used => {
            "some numbers were assigned to documents and are spent, in use or needed by a correction; or annulled before"
        }
    })
}

pub(super) fn silent(error: Unavailable) -> SetupError {
    RegistryError::from(error).into()
}
