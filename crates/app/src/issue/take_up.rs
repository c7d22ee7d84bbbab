use domain::fiscal::Means;
use ports::Tenant;

use super::{StepError, hand::Hand};
use crate::Ports;

/// Decides as what a document goes out once more that was refused for how its issuer is set up. Another revision is durable,
/// beside the one that was refused, before a number is taken for it.
pub(super) async fn run(ports: &Ports, tenant: &Tenant, hand: &mut Hand) -> Result<(), StepError> {
    let setup = ports.merchants.setup(tenant).await?;
    let now = ports.clock.now();
    let certificate_since = ports.merchants.certificate(tenant, now).await?.map(|it| it.takes_effect_at());
    let means = Means { certificate_since, ranges: &setup.issuer.ranges };
    let document = &mut hand.sale.document;
    let Some(again) = document.again(means) else { return Ok(()) };
    match document.take_up(again, now)? {
        None => hand.go_on(ports, None, now).await,
        Some(refused) => {
            hand.keep(refused);
            hand.save(ports, None, now).await
        }
    }
}
