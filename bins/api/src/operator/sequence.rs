use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::Arc,
};

use app::{
    StoredIdentities, Tenant, Unexpected,
    operators::{
        AnnulmentNotSent, AnnulmentOutcome, AnnulmentPorts, AnnulmentRequest, Grant, NumberReport, RangeReport,
        SetupError, SkipRequest, Skipped, VisitedNumbers, add_sequence, annul_numbers, report_numbers,
        resume_annulment, skip_numbers,
    },
};
use dgii::Dgii;
use domain::fiscal::{
    Annulment, AnnulmentState, AssignedNumber, DocumentKind, Environment, NumberFate, NumberRange, local_date,
};
use ports::Clock;
use serde_json::{Map, Value, json};

use super::{document::of_document, listed, ports, print, show::of_range, tenant};
use crate::{
    clock::SystemClock,
    config::{AnnulOptions, ListOptions, SequenceCommand, SequenceOptions, SkipOptions},
    failure::{Context, Done, Failure},
    stores::Stores,
};

pub(crate) async fn run(command: SequenceCommand) -> Done {
    match command {
        SequenceCommand::Add(options) => add(options).await,
        SequenceCommand::List(options) => list(&options).await,
        SequenceCommand::Report { tenant: options, kind, numbers } => {
            let stores = Stores::postgres(&options.operator.database.url()?).await?;
            report(&stores, &tenant(&options), kind, numbers).await
        }
        SequenceCommand::Annul(options) => annul(*options).await,
        SequenceCommand::Skip(options) => skip(options).await,
    }
}

async fn add(options: SequenceOptions) -> Done {
    let SequenceOptions { tenant: whose, kind, from, to, valid_until, environment } = options;
    let tenant = tenant(&whose);
    let environment = environment.unwrap_or(Environment::of(tenant.mode));

    let grant = Grant { kind, first: from, last: to, valid_until, environment };
    add_sequence(&ports(&whose.operator).await?, &tenant, grant).await.or_fail("the range was not added")?;
    print(&json!({ "kind": kind.as_str(), "environment": environment.as_str(), "from": from, "to": to }))
}

async fn list(options: &ListOptions) -> Done {
    let (stores, tenants) = listed(options).await?;
    let today = local_date(SystemClock.now());
    for tenant in tenants {
        for range in stores.database.ranges(&tenant).await.or_fail("the ranges cannot be read")? {
            let mut shown = of_range(&range);
            shown["mode"] = tenant.mode.as_str().into();
            shown["issuer"] = range.issuer.as_str().into();
            shown["left"] = range.remaining(today).into();
            shown["state"] = range.state(today).as_str().into();
            print(&shown)?;
        }
    }
    Ok(())
}

async fn skip(options: SkipOptions) -> Done {
    let SkipOptions { tenant: whose, kind, to, environment, reissue } = options;
    let tenant = tenant(&whose);
    let stores = Stores::postgres(&whose.operator.database.url()?).await?;
    let environment = environment.unwrap_or(Environment::of(tenant.mode));
    let request = SkipRequest { kind, environment, to, reissues: reissue };
    let skipped = skip_numbers(&ports(&whose.operator).await?, &*stores.database, &tenant, request).await;
    let Skipped { range, count, documents } = skipped.or_fail("no number was skipped")?;
    print(&json!({
        "kind": kind.as_str(),
        "environment": environment.as_str(),
        "next": range.next,
        "left": range.unused(),
        "skipped": count,
        "documents": documents.iter().map(of_document).collect::<Vec<_>>(),
    }))
}

async fn annul(options: AnnulOptions) -> Done {
    let whose = tenant(&options.tenant);
    let ports = ports(&options.tenant.operator).await?;
    let stores = Stores::postgres(&options.tenant.operator.database.url()?).await?;
    let (merchants, vault) = (ports.merchants.clone(), ports.vault.clone());
    let identities = StoredIdentities::new(merchants, vault, ports.signer.clone(), ports.clock.clone());
    let dgii = Dgii::new(
        options.dgii.settle_for(&options.tenant.operator.database)?,
        Arc::new(identities),
        ports.clock.clone(),
    );
    let dgii = dgii.or_fail("DGII cannot be reached in this way")?;
    let books = AnnulmentPorts { ledger: &*stores.database, authority: &dgii };

    let done = match (&options.resume, options.kind, options.range.or(options.from)) {
        (Some(id), ..) => resume_annulment(&ports, books, &whose, id).await,
        (None, Some(kind), Some(_)) => {
            let environment = options.environment.unwrap_or(Environment::of(whose.mode));
            let request =
                AnnulmentRequest { kind, environment, range: options.range, from: options.from, to: options.to };
            annul_numbers(&ports, books, &whose, request).await
        }
        _ => Err(SetupError::Invalid("which numbers: --kind, and --range or --from, or --resume is missing")),
    };
    let sentence = match &done {
        Err(SetupError::Unsettled(..) | SetupError::Uncut(..)) => "the annulment is not finished",
        _ => "no number was annulled",
    };
    let AnnulmentOutcome { annulment, not_sent } = done.or_fail(sentence)?;
    print(&of_annulment(&annulment))?;
    let again = format!("`cobro sequence annul --resume {}` sends the same again", annulment.id);
    match (annulment.state, not_sent) {
        (AnnulmentState::Annulled, _) => Ok(()),
        (AnnulmentState::Refused, _) => {
            Err(Failure::new(format!("the authority refused; no document gets them. {again}")))
        }
        (AnnulmentState::Unresolved, Some(AnnulmentNotSent::Blocked(code))) => {
            Err(Failure::new(format!("the authority refuses access: {}. {again}", code.as_str())))
        }
        (AnnulmentState::Unresolved, Some(AnnulmentNotSent::Unreachable)) => Err(Failure::new(format!(
            "the authority cannot be reached, and has not received the request; no document gets the numbers meanwhile. \
             `cobro doctor` checks whether DGII responds; COBRO_DGII_URLS is its address. Once DGII responds, {again}"
        ))),
        (AnnulmentState::Unresolved, None) => {
            Err(Failure::new(format!("the result of the annulment at DGII is unknown. {again}")))
        }
    }
}

fn of_annulment(annulment: &Annulment) -> Value {
    json!({
        "annulmentId": annulment.id.as_str(),
        "kind": annulment.kind.as_str(),
        "environment": annulment.environment.as_str(),
        "from": annulment.first,
        "to": annulment.last,
        "status": annulment.state.as_str(),
        "said": annulment.authority_messages.iter().map(|it| it.message.as_str()).collect::<Vec<_>>(),
    })
}

async fn report(stores: &Stores, tenant: &Tenant, kind: Option<DocumentKind>, has_numbers: bool) -> Done {
    let mut print_numbers = |range: &NumberRange, numbers: VisitedNumbers<'_>| {
        let line = match numbers {
            VisitedNumbers::Assigned(given) => of_number(range, given),
            VisitedNumbers::Annulled(annulment) => of_annulment(annulment),
            VisitedNumbers::Skipped { first, last } => of_skipped(range, (first, last)),
        };
        if has_numbers { writeln!(io::stdout(), "{line}").map_err(Unexpected::from) } else { Ok(()) }
    };
    let setup = stores.database.setup(tenant).await.or_fail("the merchant cannot be read")?;
    if setup.profile.is_none() {
        return Err(Failure::new("there is no such merchant"));
    }
    let report =
        report_numbers(&*stores.database, tenant, kind, &mut print_numbers).await.or_fail("there is no report")?;
    let NumberReport { ranges, unresolved } = report;
    print(&json!({
        "merchantId": tenant.merchant.as_str(),
        "mode": tenant.mode.as_str(),
        "ranges": ranges.iter().map(of_report).collect::<Vec<_>>(),
        "unresolvedAnnulments": unresolved.iter().map(|it| of_unresolved(tenant, it)).collect::<Vec<_>>(),
    }))
}

/// Hint for an annulment with unknown outcome.
fn of_unresolved(tenant: &Tenant, annulment: &Annulment) -> Value {
    let (merchant, mode) = (tenant.merchant.as_str(), tenant.mode.as_str());
    let resume = format!("cobro sequence annul --merchant {merchant} --mode {mode} --resume {}", annulment.id.as_str());
    let mut shown = of_annulment(annulment);
    shown["resume"] = resume.into();
    shown
}

fn of_skipped(range: &NumberRange, (first, last): (u64, u64)) -> Value {
    let (kind, environment) = (range.kind.as_str(), range.environment.as_str());
    json!({ "kind": kind, "environment": environment, "from": first, "to": last, "status": "skipped" })
}

fn of_number(range: &NumberRange, given: &AssignedNumber) -> Value {
    json!({
        "number": given.numbered.number.as_str(),
        "environment": range.environment.as_str(),
        "status": given.fate.as_str(),
        "documentId": given.document.as_str(),
        "revision": given.revision,
        "paymentId": given.payment.as_str(),
        "issueDate": given.numbered.issue_date.to_string(),
        "givenAt": given.assigned_at.to_rfc3339(),
        "decidedAt": given.decided_at.map(|it| it.to_rfc3339()),
    })
}

fn of_report(report: &RangeReport) -> Value {
    let RangeReport { range, unused, fates, annulled, skipped } = report;
    let fates = NumberFate::ALL.into_iter().map(|it| (it.as_str(), fates.get(&it).copied().unwrap_or_default()));
    let numbers: Map<String, Value> = [("unused", *unused), ("skipped", *skipped)]
        .into_iter()
        .chain(fates)
        .map(|(name, count)| (name.to_owned(), count.into()))
        .collect();
    let annulled = AnnulmentState::ALL.map(|it| (it.as_str(), annulled.get(&it).copied().unwrap_or_default()));
    let mut shown = of_range(range);
    shown["isExpired"] = range.is_expired(local_date(SystemClock.now())).into();
    shown["numbers"] = numbers.into();
    shown["annulments"] = json!(BTreeMap::from(annulled));
    shown
}
