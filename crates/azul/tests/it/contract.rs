//! Runs the contract tests of card providers over mutual TLS, with both formats of AZUL's look-ups.

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
