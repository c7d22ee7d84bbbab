//! The contract of card providers, with the simulated acquirer.

use std::sync::Arc;

use domain::{Currency::Dop, Money};
use sandbox::{Acquirer, Fault, Faults, Target, issuer_result};
use testkit::{
    memory::TestClock,
    provider::{ProviderBackend, ProviderCall, ProviderHarness},
    provider_contract_tests,
    sample::{account_id, attempt_id},
};

struct InProcess {
    acquirer: Arc<Acquirer>,
    faults: Arc<Faults>,
}

impl InProcess {
    fn sum(&self, statuses: &[&str]) -> i64 {
        let all = self.acquirer.transactions();
        let counted = all.iter().filter(|it| statuses.contains(&it.status));
        counted.map(|it| if it.kind == "refund" { -it.amount_minor_units } else { it.amount_minor_units }).sum()
    }
}

impl ProviderBackend for InProcess {
    fn drop_next_request(&self) {
        self.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();
    }

    fn lose_next_response(&self, _to: ProviderCall) {
        self.faults.inject(Target::Acquirer, Fault::AfterCommit, 1).unwrap();
    }

    fn authentication_result(&self, request: &str, is_authenticated: bool) -> String {
        issuer_result(request, is_authenticated).unwrap()
    }

    fn return_at_portal(&self, n: u32, minor_units: i64) {
        let amount = Money::new(minor_units, Dop);
        self.acquirer.refund_at_portal(account_id(1).as_str(), attempt_id(n).as_str(), amount).unwrap();
    }

    fn captured(&self) -> i64 {
        self.sum(&["approved", "captured"])
    }

    fn authorized(&self) -> i64 {
        self.sum(&["held"])
    }
}

async fn counter() -> ProviderHarness {
    let (clock, faults) = (Arc::new(TestClock::default()), Arc::new(Faults::default()));
    let acquirer = Acquirer::in_memory(clock.clone(), faults.clone()).with_issuer_url("https://issuer.example");
    let acquirer = Arc::new(acquirer);
    ProviderHarness { provider: acquirer.clone(), clock, backend: Box::new(InProcess { acquirer, faults }) }
}

provider_contract_tests!(super::counter);
