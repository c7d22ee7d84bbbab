use app::operator::{Grant, add_sequence};
use domain::fiscal::Environment;
use serde_json::json;

use super::{ports, print, tenant};
use crate::{
    config::{SequenceCommand, SequenceOptions},
    failure::{Context, Done},
};

pub(crate) async fn run(SequenceCommand::Add(options): SequenceCommand) -> Done {
    let SequenceOptions { tenant: whose, kind, from, to, valid_until, environment } = options;
    let tenant = tenant(&whose);
    let environment = environment.unwrap_or(Environment::of(tenant.mode));

    let grant = Grant { kind, first: from, last: to, valid_until, environment };
    add_sequence(&ports(&whose.operator).await?, &tenant, grant).await.or_fail("the range was not added")?;
    print(&json!({ "kind": kind.as_str(), "environment": environment.as_str(), "from": from, "to": to }))
}
