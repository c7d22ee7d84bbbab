//! AZUL, held to what every card provider promises: over mutual TLS, with both ways in which it
//! spells what it finds.

use sandbox::FoundSpelling;
use testkit::{provider::Counter, provider_contract_tests};

use crate::bench::Bench;

async fn counter(found: FoundSpelling) -> Counter {
    let bench = Bench::with(found, false).await;
    Counter { provider: bench.azul.clone(), clock: bench.clock.clone(), bank: Box::new(bench) }
}

mod as_documented {
    use super::*;

    async fn fresh() -> Counter {
        counter(FoundSpelling::Documented).await
    }

    provider_contract_tests!(super::fresh);
}

mod as_met {
    use super::*;

    async fn fresh() -> Counter {
        counter(FoundSpelling::Production).await
    }

    provider_contract_tests!(super::fresh);
}
