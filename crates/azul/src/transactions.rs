//! Requests that move money, each sent once.

use std::sync::Arc;

use bytes::Bytes;
use chrono::TimeDelta;
use domain::{MerchantAccountId, fiscal::local_date};
use ports::{AttemptRef, AuthStep, CardToken, Charge, Hold, NotSubmitted, ProviderResponse};

use crate::{
    AccountUnavailable, Azul, AzulAccount,
    classify::HttpResult,
    look_up::Unclear,
    outcome::approved,
    record::{Kind, Record, is_returned},
    request::{self, Operation},
    response::Body,
    verdict::Class,
};

/// Time during which AZUL voids a sale, less one minute for the request.
pub(crate) const VOID_WINDOW: TimeDelta = TimeDelta::minutes(19);
/// Days back in which the original of a reversal is searched.
const REVERSIBLE_DAYS: u64 = 8;
/// Start of AZUL's description of a card that the vault does not have (any more).
const NO_SUCH_CARD: &str = "DATAVAULT TOKENID DOES NOT EXIST";

impl From<AccountUnavailable> for NotSubmitted {
    fn from(error: AccountUnavailable) -> Self {
        match error {
            AccountUnavailable::Missing => Self::Rejected,
            AccountUnavailable::Sealed => Self::Unavailable,
        }
    }
}

impl From<Unclear> for NotSubmitted {
    fn from(error: Unclear) -> Self {
        match error {
            Unclear::Unreachable => Self::Unavailable,
            Unclear::Incomprehensible => Self::Busy,
        }
    }
}

impl Azul {
    pub(crate) async fn account(&self, id: &MerchantAccountId) -> Result<Arc<AzulAccount>, AccountUnavailable> {
        let account = self.accounts.account(id).await;
        account.inspect_err(|error| tracing::error!(account = %id, %error, "AZUL cannot be called"))
    }

    /// Sends a sale or a hold. The charge, and with it the card, is dropped before the request is sent.
    pub(crate) async fn purchase(
        &self,
        operation: Operation,
        charge: Charge,
    ) -> Result<ProviderResponse, NotSubmitted> {
        let account = self.account(&charge.attempt.account).await?;
        let attempt = charge.attempt.clone();
        let body = request::purchase(&account, operation, charge)?;
        Ok(self.submit(&attempt, &account, operation, body, Some(attempt.attempt.as_str())).await)
    }

    /// Continues a purchase after a step of 3-D Secure. AZUL needs its own order id, which every such response contains.
    pub(crate) async fn continue_purchase(
        &self,
        attempt_ref: &AttemptRef,
        reference: Option<String>,
        step: &AuthStep,
    ) -> Result<ProviderResponse, NotSubmitted> {
        let account = self.account(&attempt_ref.account).await?;
        let order = reference.ok_or(NotSubmitted::Rejected)?;
        let (operation, body) = match step {
            AuthStep::MethodDone { is_method_notified } => {
                (Operation::ThreeDsMethod, request::method_completed(&account, &order, *is_method_notified)?)
            }
            AuthStep::ChallengeDone { result } => {
                (Operation::ThreeDsChallenge, request::challenge_completed(&account, &order, result)?)
            }
        };
        Ok(self.submit(attempt_ref, &account, operation, body, Some(attempt_ref.attempt.as_str())).await)
    }

    pub(crate) async fn capture_hold(&self, hold: &Hold) -> Result<ProviderResponse, NotSubmitted> {
        let account = self.account(&hold.attempt.account).await?;
        let order = self.order_id(&account, hold).await?;
        let body = request::post(&account, &order, hold.amount, hold.itbis)?;
        Ok(self.submit(&hold.attempt, &account, Operation::Post, body, None).await)
    }

    /// Releases a hold, after a look-up: within twenty minutes of a capture, AZUL's void would reverse the capture.
    pub(crate) async fn void_hold(&self, hold: &Hold) -> Result<ProviderResponse, NotSubmitted> {
        let account = self.account(&hold.attempt.account).await?;
        match self.verify(&account, &hold.attempt, hold.attempt.attempt.as_str()).await? {
            Some(it) if it.is_approved(Kind::Void) => return Ok(approved(it.order)),
            Some(it) if it.is_approved(Kind::Post) => return Err(NotSubmitted::Rejected),
            Some(it) if it.kind == Kind::Hold && it.class != Class::Approved => return Err(NotSubmitted::Rejected),
            _ => {}
        }
        let order = self.order_id(&account, hold).await?;
        let body = request::void(&account, &order)?;
        Ok(self.submit(&hold.attempt, &account, Operation::Void, body, None).await)
    }

    /// Reverses an approved attempt, unless AZUL lists the reversal already.
    pub(crate) async fn reverse_attempt(&self, attempt: &AttemptRef) -> Result<ProviderResponse, NotSubmitted> {
        let account = self.account(&attempt.account).await?;
        let records = self.list(&account, attempt, REVERSIBLE_DAYS).await?;
        let find = |kind| records.iter().find(|record| record.is_approved(kind));
        let original = find(Kind::Post).or(find(Kind::Sale)).or(find(Kind::Hold));
        if original.is_none_or(|original| is_returned(&records, original.amount))
            && let Some(reversal) = find(Kind::Void).or(find(Kind::Refund))
        {
            return Ok(approved(reversal.order.clone()));
        }
        let original = original.ok_or(NotSubmitted::Rejected)?;
        let order = original.order.as_ref().ok_or(NotSubmitted::Busy)?;
        if original.kind == Kind::Hold || !self.is_beyond_void(original) {
            let body = request::void(&account, order)?;
            return Ok(self.submit(attempt, &account, Operation::Void, body, None).await);
        }
        let (money, day) = ((original.amount, original.itbis), local_date(original.at));
        let refund_id = request::refund_id(&attempt.attempt);
        let body = request::refund(&account, order, (&attempt.attempt, &refund_id), money, day)?;
        Ok(self.submit(attempt, &account, Operation::Refund, body, Some(&refund_id)).await)
    }

    /// Deletes a card from AZUL's vault. Returns whether the vault no longer has the card.
    pub(crate) async fn delete_stored_card(
        &self,
        id: &MerchantAccountId,
        card: &CardToken,
    ) -> Result<bool, NotSubmitted> {
        let account = self.account(id).await?;
        let body = request::delete_card(&account, card)?;
        let result = self.http.send(id, &account, Operation::Vault, body).await?;
        let HttpResult::Response { body: Body::Fields(response), .. } = result else { return Ok(false) };
        // The vault's response to a deletion has no other sign of success than this code.
        let is_approved = response.text("IsoCode") == "00" && !response.is_error();
        Ok(is_approved || response.text("ErrorDescription").to_ascii_uppercase().starts_with(NO_SUCH_CARD))
    }

    /// Whether it is too late to void a sale or a capture, so that only a refund reverses it.
    pub(crate) fn is_beyond_void(&self, record: &Record) -> bool {
        self.server_now().signed_duration_since(record.at) > VOID_WINDOW
    }

    /// Returns AZUL's order id of a hold, from the hold itself or from the list of transactions.
    async fn order_id(&self, account: &AzulAccount, hold: &Hold) -> Result<String, NotSubmitted> {
        if let Some(order) = &hold.reference {
            return Ok(order.clone());
        }
        let records = self.list(account, &hold.attempt, REVERSIBLE_DAYS).await?;
        let held = records.into_iter().find(|record| record.is_approved(Kind::Hold));
        held.and_then(|record| record.order).ok_or(NotSubmitted::Rejected)
    }

    /// Sends a financial request once, and returns its outcome. A response must name `custom_order_id`, if there is one.
    async fn submit(
        &self,
        attempt_ref: &AttemptRef,
        account: &AzulAccount,
        operation: Operation,
        body: Bytes,
        custom_order_id: Option<&str>,
    ) -> ProviderResponse {
        match self.http.send(&attempt_ref.account, account, operation, body).await {
            Ok(result) => self.evaluate(attempt_ref, operation, &result, custom_order_id),
            Err(error) => {
                tracing::error!(account = %attempt_ref.account, %error, "AZUL cannot be called");
                crate::outcome::not_submitted(error.into())
            }
        }
    }
}
