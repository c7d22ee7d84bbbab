//! The ports [`CardProvider`] and [`AccountProvider`].

use std::sync::atomic::Ordering;

use async_trait::async_trait;
use chrono::{NaiveDate, TimeDelta};
use domain::{
    MerchantAccountId, Mode,
    refund::{RefundFinding, RefundTerms},
};
use ports::{
    AccountProvider, AttemptRef, AuthStep, CallOutcome, CardProvider, CardToken, Charge, CredentialFault, Credentials,
    Hold, ListedReturn, LookUp, Opening, ProbeReport, ProviderResponse, RefundLookup, RefundRequest, RefundResponse,
    ReturnsUnlisted,
};

use crate::{Azul, AzulAccount, credentials, outcome::not_submitted, record::HOLD_LIFE, request::Operation};

#[async_trait]
impl CardProvider for Azul {
    /// AZUL learns of a payment with the card.
    fn needs_opening(&self, _opening: &Opening) -> bool {
        false
    }

    async fn open(&self, _opening: Opening) -> ProviderResponse {
        ProviderResponse { outcome: CallOutcome::Opened, reference: None, token: None }
    }

    /// AZUL does not document how to send wallet payloads.
    fn supports_wallets(&self) -> bool {
        false
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        self.purchase(Operation::Sale, charge).await.unwrap_or_else(not_submitted)
    }

    async fn continue_authentication(
        &self,
        attempt_ref: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        self.continue_purchase(&attempt_ref, reference, &step).await.unwrap_or_else(not_submitted)
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        Some(HOLD_LIFE)
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        self.purchase(Operation::Hold, charge).await.unwrap_or_else(not_submitted)
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        self.capture_hold(&hold).await.unwrap_or_else(not_submitted)
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        self.void_hold(&hold).await.unwrap_or_else(not_submitted)
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        match self.account(&attempt.account).await {
            Ok(account) => self.find_attempt(&account, &attempt).await.unwrap_or(LookUp::Unknown),
            Err(_) => LookUp::Unknown,
        }
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        self.reverse_attempt(&attempt).await.unwrap_or_else(not_submitted)
    }

    async fn refund_terms(&self, account: &MerchantAccountId) -> RefundTerms {
        self.terms_of(account).await
    }

    async fn refund(&self, refund: RefundRequest) -> RefundResponse {
        self.submit_refund(&refund).await.unwrap_or_else(RefundResponse::NotSubmitted)
    }

    async fn look_up_refund(&self, refund: RefundRequest) -> RefundLookup {
        self.look_up_return(&refund).await.unwrap_or_else(|_| RefundFinding::Unknown.into())
    }

    async fn list_returns(
        &self,
        account: &MerchantAccountId,
        day: NaiveDate,
    ) -> Result<Vec<ListedReturn>, ReturnsUnlisted> {
        self.list_returns_of_day(account, day).await.map_err(|_| ReturnsUnlisted)
    }

    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool {
        let is_deleted = self.delete_stored_card(account, card).await.unwrap_or(false);
        tracing::info!(%account, is_deleted, "deletion of a stored card requested from AZUL");
        is_deleted
    }
}

#[async_trait]
impl AccountProvider for Azul {
    fn check(&self, credentials: &[u8]) -> Result<Credentials, CredentialFault> {
        let account = credentials::read(Mode::Test, 0, credentials)?;
        self.http.build(&account).map_err(|_| credentials::KEY_PAIR)?;
        Ok(public_facts(&account))
    }

    fn check_same_provider_store(&self, before: &[u8], after: &[u8]) -> Result<(), CredentialFault> {
        credentials::check_same_store(before, after)
    }

    async fn probe(&self, id: &MerchantAccountId) -> Option<ProbeReport> {
        let account = self.accounts.account(id).await.ok()?;
        Some(ProbeReport { probe: self.probe_credentials(id, &account).await, credentials: public_facts(&account) })
    }

    fn unknown_codes(&self) -> u64 {
        self.unknown_codes.load(Ordering::Relaxed)
    }

    fn clock_skew(&self) -> Option<TimeDelta> {
        self.http.server_time().map(|(theirs, ours)| theirs.signed_duration_since(ours))
    }
}

/// Returns the facts in the credentials that are not secret.
fn public_facts(account: &AzulAccount) -> Credentials {
    Credentials { has_3ds: account.has_3ds }
}
