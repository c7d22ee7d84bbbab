use domain::{Currency, Money, attempt::CardSummary};

use super::{
    Acquirer,
    script::Truth,
    transaction::{Kind, Named, Transaction},
};

impl Acquirer {
    /// Charges so many others at the merchant of that number, as on a busy day.
    ///
    /// # Panics
    ///
    /// If its journal cannot be written.
    pub fn add_other_sales(&self, store: &str, sales: u32) {
        let now = self.clock.now();
        for n in 0..sales {
            let sale = Transaction {
                kind: Kind::Sale,
                named: Named { account: store.to_owned(), name: format!("other-{n:011}") },
                payment: String::new(),
                of: None,
                amount: Money::new(118_00, Currency::Dop),
                itbis: Money::new(18_00, Currency::Dop),
                card: CardSummary::default(),
                scenario: String::new(),
                truth: Truth::Approved,
                received_at: now,
                visible_at: now,
                reference: String::new(),
                capture: None,
                reversal: None,
                failed_voids: 0,
                is_kept: false,
            };
            self.ledger.record(sale).expect("the journal can be written");
        }
    }
}
