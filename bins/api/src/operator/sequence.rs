use std::io::{self, Write};

use app::{
    Tenant, Unexpected,
    operator::{Grant, RangeReport, add_sequence, report_numbers},
};
use domain::fiscal::{DocumentKind, Environment, GivenNumber, NumberFate, NumberRange, local_date};
use ports::Clock;
use serde_json::{Map, Value, json};

use super::{ports, print, tenant};
use crate::{
    clock::SystemClock,
    config::{SequenceCommand, SequenceOptions},
    failure::{Context, Done},
    stores::Stores,
};

pub(crate) async fn run(command: SequenceCommand) -> Done {
    match command {
        SequenceCommand::Add(options) => add(options).await,
        SequenceCommand::Report { tenant: options, kind, numbers } => {
            let stores = Stores::postgres(&options.operator.database.database_url).await?;
            report(&stores, &tenant(&options), kind, numbers).await
        }
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

async fn report(stores: &Stores, tenant: &Tenant, kind: Option<DocumentKind>, has_numbers: bool) -> Done {
    let mut tell = |range: &NumberRange, given: &GivenNumber| match has_numbers {
        true => writeln!(io::stdout(), "{}", of_number(range, given)).map_err(Unexpected::from),
        false => Ok(()),
    };
    let reports = report_numbers(&*stores.ledger, tenant, kind, &mut tell).await.or_fail("there is no report")?;
    print(&json!({
        "merchantId": tenant.merchant.as_str(),
        "mode": tenant.mode.as_str(),
        "ranges": reports.iter().map(of_report).collect::<Vec<_>>(),
    }))
}

fn of_number(range: &NumberRange, given: &GivenNumber) -> Value {
    json!({
        "number": given.numbered.number.as_str(),
        "environment": range.environment.as_str(),
        "status": given.fate.as_str(),
        "documentId": given.document.as_str(),
        "revision": given.revision,
        "paymentId": given.payment.as_str(),
        "issueDate": given.numbered.issue_date.to_string(),
        "givenAt": given.given_at.to_rfc3339(),
        "decidedAt": given.decided_at.map(|it| it.to_rfc3339()),
    })
}

fn of_report(report: &RangeReport) -> Value {
    let RangeReport { range, unused, fates } = report;
    let fates = NumberFate::ALL.into_iter().map(|it| (it.as_str(), fates.get(&it).copied().unwrap_or_default()));
    let numbers: Map<String, Value> =
        [("unused", *unused)].into_iter().chain(fates).map(|(name, count)| (name.to_owned(), count.into())).collect();
    json!({
        "kind": range.kind.as_str(),
        "environment": range.environment.as_str(),
        "from": range.first,
        "to": range.last,
        "next": range.next,
        "validUntil": range.valid_until.map(|it| it.to_string()),
        "isExpired": range.is_expired(local_date(SystemClock.now())),
        "numbers": numbers,
    })
}
