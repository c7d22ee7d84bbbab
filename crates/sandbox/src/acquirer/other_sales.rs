use domain::{Currency, Money};

use super::{
    scenario::TransactionOutcome,
    simulated::Acquirer,
    transaction::{Transaction, TransactionKey, TransactionKind},
};

impl Acquirer {
    /// Adds sales of other customers to a merchant's list.
    ///
    /// # Panics
    ///
    /// If the journal cannot be written.
    pub fn add_other_sales(&self, store: &str, sales: u32) {
        let now = self.clock.now();
        let dop = |minor_units| Money::new(minor_units, Currency::Dop);
        for n in 0..sales {
            let key = TransactionKey { account: store.to_owned(), name: format!("other-{n:011}") };
            let sale = Transaction::new(TransactionKind::Sale, key, (dop(118_00), dop(18_00)), now);
            let sale = Transaction { outcome: TransactionOutcome::Approved, ..sale };
            self.ledger.record(sale).expect("the journal can be written");
        }
    }
}
