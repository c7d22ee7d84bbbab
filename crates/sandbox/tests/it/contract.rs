//! The acquirer, held to what every card provider promises.

use std::sync::Arc;

use sandbox::{Acquirer, Fault, Faults, Target, issuer_result};
use testkit::{
    memory::TestClock,
    provider::{Bank, Call, Counter},
    provider_contract_tests,
};

struct InProcess {
    acquirer: Arc<Acquirer>,
    faults: Arc<Faults>,
}

impl InProcess {
    fn sum(&self, statuses: &[&str]) -> i64 {
        let all = self.acquirer.transactions();
        all.iter().filter(|it| statuses.contains(&it.status)).map(|it| it.amount_minor_units).sum()
    }
}

impl Bank for InProcess {
    fn keep_the_next_out(&self) {
        self.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();
    }

    fn lose_the_answer(&self, _to: Call) {
        self.faults.inject(Target::Acquirer, Fault::AfterCommit, 1).unwrap();
    }

    fn authenticated(&self, request: &str, is_authenticated: bool) -> String {
        issuer_result(request, is_authenticated).unwrap()
    }

    fn taken(&self) -> i64 {
        self.sum(&["approved", "captured"])
    }

    fn held(&self) -> i64 {
        self.sum(&["held"])
    }
}

async fn counter() -> Counter {
    let (clock, faults) = (Arc::new(TestClock::default()), Arc::new(Faults::default()));
    let acquirer = Acquirer::in_memory(clock.clone(), faults.clone()).with_issuer_at("https://issuer.example");
    let acquirer = Arc::new(acquirer);
    Counter { provider: acquirer.clone(), clock, bank: Box::new(InProcess { acquirer, faults }) }
}

provider_contract_tests!(super::counter);
