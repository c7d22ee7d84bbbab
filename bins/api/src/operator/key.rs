use app::operator::create_key;
use serde_json::json;

use super::{ports, print, tenant};
use crate::{
    config::KeyCommand,
    failure::{Context, Done},
};

pub(crate) async fn run(KeyCommand::Create { tenant: options, role }: KeyCommand) -> Done {
    let key = create_key(&ports(&options.operator).await?, &tenant(&options), role).await;
    print(&json!({ "apiKey": key.or_fail("the key was not made")?, "role": role.as_str() }))
}
