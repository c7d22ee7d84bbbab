use async_trait::async_trait;
use chrono::{NaiveDate, TimeDelta};
use diesel::{
    QueryableByName,
    sql_types::{BigInt, Text},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use domain::{Currency, MerchantAccountId, Money, attempt::Attempt, refund::RefundTerms};
use ports::{
    AttemptRef, AuthStep, CallOutcome, CardProvider, CardToken, Charge, Hold, ListedReturn, LookUp, NotSubmitted,
    Opening, ProviderResponse, RefundLookup, RefundRequest, RefundResponse, ReturnsUnlisted,
};
use tokio::sync::Mutex;

/// A bank for several processes: its ledger is a table.
pub(crate) struct Bank(Mutex<AsyncPgConnection>);

/// A reservation with its state.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub(crate) struct Entry {
    #[diesel(sql_type = Text)]
    pub(crate) payment: String,
    #[diesel(sql_type = BigInt)]
    pub(crate) amount: i64,
    #[diesel(sql_type = Text)]
    pub(crate) status: String,
}

impl Bank {
    pub(crate) async fn open(url: &str) -> Self {
        Self(Mutex::new(AsyncPgConnection::establish(url).await.unwrap()))
    }

    pub(crate) async fn create_table(&self) {
        let table = "CREATE TABLE bank (attempt text PRIMARY KEY, payment text NOT NULL, amount bigint NOT NULL, \
             status text NOT NULL)";
        self.0.lock().await.batch_execute(table).await.unwrap();
    }

    pub(crate) async fn reserve(&self, attempt: &str, payment: &str, amount: i64) {
        let entry = diesel::sql_query("INSERT INTO bank VALUES ($1, $2, $3, 'held')")
            .bind::<Text, _>(attempt)
            .bind::<Text, _>(payment)
            .bind::<BigInt, _>(amount);
        entry.execute(&mut *self.0.lock().await).await.expect("no attempt is sent twice");
    }

    /// Records a captured charge.
    pub(crate) async fn charge_captured(&self, attempt: &Attempt) {
        self.reserve(attempt.id.as_str(), attempt.payment.as_str(), attempt.amount.minor_units()).await;
        let update = diesel::sql_query("UPDATE bank SET status = 'captured' WHERE attempt = $1");
        update.bind::<Text, _>(attempt.id.as_str()).execute(&mut *self.0.lock().await).await.unwrap();
    }

    pub(crate) async fn entries(&self) -> Vec<Entry> {
        let all = diesel::sql_query("SELECT payment, amount, status FROM bank ORDER BY payment, status");
        all.load(&mut *self.0.lock().await).await.unwrap()
    }

    /// Moves reserved funds, once.
    async fn move_funds(&self, hold: &Hold, to: &str) -> ProviderResponse {
        let update = diesel::sql_query("UPDATE bank SET status = $2 WHERE attempt = $1 AND status = 'held'")
            .bind::<Text, _>(hold.attempt.attempt.as_str())
            .bind::<Text, _>(to);
        let rows = update.execute(&mut *self.0.lock().await).await.unwrap();
        let rejected = CallOutcome::NotSubmitted(NotSubmitted::Rejected);
        ProviderResponse {
            outcome: if rows == 1 { CallOutcome::Approved } else { rejected },
            reference: None,
            token: None,
        }
    }
}

#[async_trait]
impl CardProvider for Bank {
    fn needs_opening(&self, _: &Opening) -> bool {
        false
    }

    async fn open(&self, _: Opening) -> ProviderResponse {
        unreachable!("no payment needs an opening")
    }

    fn supports_wallets(&self) -> bool {
        false
    }

    async fn charge(&self, _: Charge) -> ProviderResponse {
        unreachable!("every payment is split")
    }

    async fn continue_authentication(&self, _: AttemptRef, _: Option<String>, _: AuthStep) -> ProviderResponse {
        unreachable!("no issuer requires authentication")
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        Some(TimeDelta::days(7))
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        self.reserve(charge.attempt.attempt.as_str(), charge.payment.as_str(), charge.amount.minor_units()).await;
        ProviderResponse { outcome: CallOutcome::Approved, reference: None, token: None }
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        self.move_funds(&hold, "captured").await
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        self.move_funds(&hold, "given back").await
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        let query = diesel::sql_query("SELECT payment, amount, status FROM bank WHERE attempt = $1")
            .bind::<Text, _>(attempt.attempt.as_str());
        let found: Vec<Entry> = query.load(&mut *self.0.lock().await).await.unwrap();
        let Some(entry) = found.into_iter().next() else { return LookUp::NotFound };
        let (amount, reference) = (Money::new(entry.amount, Currency::Dop), None);
        match entry.status.as_str() {
            "held" => LookUp::Held { amount, reference },
            "captured" => LookUp::Captured { amount, reference },
            _ => LookUp::Gone,
        }
    }

    async fn reverse(&self, _: AttemptRef) -> ProviderResponse {
        unreachable!("no charge is in one step")
    }

    async fn delete_token(&self, _: &MerchantAccountId, _: &CardToken) -> bool {
        unreachable!("no card is stored")
    }

    async fn refund_terms(&self, _: &MerchantAccountId) -> RefundTerms {
        crate::refunds::world::TERMS
    }

    /// Returns any amount, so that only the caller prevents that too much is returned.
    async fn refund(&self, request: RefundRequest) -> RefundResponse {
        let insert = diesel::sql_query(
            "INSERT INTO bank SELECT $1, payment, $2, 'returned' FROM bank WHERE attempt = $3 AND status = 'captured'",
        );
        let insert = insert
            .bind::<Text, _>(request.attempt.attempt.as_str())
            .bind::<BigInt, _>(request.amount.minor_units())
            .bind::<Text, _>(request.of.attempt.as_str());
        let rows = insert.execute(&mut *self.0.lock().await).await.expect("no attempt is sent twice");
        assert_eq!(rows, 1, "the charge is captured");
        RefundResponse::Approved { method: request.method, reference: None }
    }

    async fn look_up_refund(&self, _: RefundRequest) -> RefundLookup {
        unreachable!("every refund is approved")
    }

    async fn list_returns(&self, _: &MerchantAccountId, _: NaiveDate) -> Result<Vec<ListedReturn>, ReturnsUnlisted> {
        unreachable!("the returns are not swept")
    }
}
