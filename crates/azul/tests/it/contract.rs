//! AZUL, held to what every card provider promises: over mutual TLS, with both ways in which it
//! spells what it finds.

use sandbox::LookupFormat;
use testkit::{provider::ProviderHarness, provider_contract_tests};

use crate::bench::Bench;

async fn counter(found: LookupFormat) -> ProviderHarness {
    let bench = Bench::with(found, false).await;
    ProviderHarness { provider: bench.azul.clone(), clock: bench.clock.clone(), backend: Box::new(bench) }
}

mod as_documented {
    use super::*;

    async fn fresh() -> ProviderHarness {
        counter(LookupFormat::Documented).await
    }

    provider_contract_tests!(super::fresh);
}

mod as_met {
    use super::*;

    async fn fresh() -> ProviderHarness {
        counter(LookupFormat::Production).await
    }

    provider_contract_tests!(super::fresh);
}
