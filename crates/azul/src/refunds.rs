//! Voids and refunds of charges, their look-ups, and the list of a day's returns.

use std::iter::successors;

use chrono::{NaiveDate, TimeDelta};
use domain::{
    MerchantAccountId,
    fiscal::local_date,
    refund::{AcquirerReference, RefundFailureCode, RefundFinding, RefundTerms},
};
use ports::{ListedReturn, NotSubmitted, RefundLookup, RefundRequest, RefundResponse, ReturnMethod};

use crate::{
    Azul, AzulAccount,
    classify::HttpResult,
    look_up::Unclear,
    record::{Kind, Record},
    refund_refusal::{failure, is_refused, is_wrong_state},
    request::{self, Operation, REVERSAL},
    response::AzulResponse,
    transactions::VOID_WINDOW,
    verdict::Class,
};

/// Days after the capture in which AZUL takes a refund: its six months have at least 181 days.
const REFUND_DAYS: u16 = 180;
/// Maximum number of days that one look-up lists. A refund in doubt for longer is decided by an operator.
const LISTED_DAYS: usize = 31;

/// Difference of clocks for which look-ups allow around midnight.
const SKEW: TimeDelta = TimeDelta::minutes(5);

/// Meaning of a response to a void or a refund.
#[derive(Debug, PartialEq, Eq)]
enum Reading {
    Clear(RefundResponse),
    /// Refused because of the state of the charge: only look-ups show whether the money was returned before.
    WrongState,
}

impl Azul {
    pub(crate) async fn terms_of(&self, id: &MerchantAccountId) -> RefundTerms {
        // Without readable credentials no call is made, so the conditions of the account do not matter.
        let account = self.accounts.account(id).await;
        let allows_multiple = !account.is_ok_and(|account| account.takes_one_refund);
        RefundTerms { void_window: VOID_WINDOW, refund_days: REFUND_DAYS, allows_multiple }
    }

    /// Sends a void or a refund once.
    pub(crate) async fn submit_refund(&self, refund: &RefundRequest) -> Result<RefundResponse, NotSubmitted> {
        let account = self.account(&refund.attempt.account).await?;
        let order = self.charge_order(&account, refund).await?;
        let (operation, body) = match refund.method {
            ReturnMethod::Void => (Operation::Void, request::void(&account, &order)?),
            ReturnMethod::Refund => {
                let (attempt, amounts) = (&refund.attempt.attempt, (refund.amount, refund.itbis));
                let day = local_date(refund.of.captured_at);
                (Operation::Refund, request::refund(&account, &order, (attempt, attempt.as_str()), amounts, day)?)
            }
        };
        let sent = self.http.send(&refund.attempt.account, &account, operation, body).await;
        let result = sent.inspect_err(|error| {
            tracing::error!(account = %refund.attempt.account, %error, "AZUL cannot be called");
        })?;
        let class = self.judge(&refund.attempt, operation, &result).class;
        match interpret(refund, class, &result) {
            Reading::Clear(response) => Ok(response),
            Reading::WrongState => Ok(self.look_up_earlier_return(&account, refund).await),
        }
    }

    /// Returns AZUL's order id of the charge, from the request or from the list of transactions.
    async fn charge_order(&self, account: &AzulAccount, refund: &RefundRequest) -> Result<String, NotSubmitted> {
        if let Some(order) = &refund.of.reference {
            return Ok(order.clone());
        }
        let day = local_date(refund.of.captured_at);
        // AZUL's clock may differ around midnight.
        for day in [Some(day), day.pred_opt(), day.succ_opt()].into_iter().flatten() {
            let is_charge = |row: &AzulResponse| row.text("CustomOrderId") == refund.of.attempt.as_str();
            let records = self.list_day(account, &refund.attempt, day, &is_charge).await?;
            let charge = records.into_iter().find(|it| it.is_approved(Kind::Post) || it.is_approved(Kind::Sale));
            if let Some(order) = charge.and_then(|charge| charge.order) {
                return Ok(order);
            }
        }
        Err(NotSubmitted::Rejected)
    }

    /// Returns the outcome of a request that AZUL refused because of the state of the charge.
    async fn look_up_earlier_return(&self, account: &AzulAccount, refund: &RefundRequest) -> RefundResponse {
        if refund.method == ReturnMethod::Refund {
            match self.verify(account, &refund.attempt, refund.attempt.attempt.as_str()).await {
                Ok(Some(own)) if own.is_approved(Kind::Refund) => return approved(ReturnMethod::Refund, &own),
                Ok(_) => {}
                Err(_) => return RefundResponse::Ambiguous,
            }
        }
        match self.verify(account, &refund.attempt, refund.of.attempt.as_str()).await {
            Ok(Some(void)) if void.is_approved(Kind::Void) && refund.is_whole() => approved(ReturnMethod::Void, &void),
            Ok(Some(_)) => RefundResponse::Refused(RefundFailureCode::AlreadyReturned),
            Ok(None) | Err(_) => RefundResponse::Ambiguous,
        }
    }

    /// Looks up a void or a refund.
    pub(crate) async fn look_up_return(&self, refund: &RefundRequest) -> Result<RefundLookup, Unclear> {
        let account = self.account(&refund.attempt.account).await.map_err(|_| Unclear::Unreachable)?;
        match refund.method {
            ReturnMethod::Void => {
                let newest = self.verify(&account, &refund.attempt, refund.of.attempt.as_str()).await?;
                Ok(newest.map_or_else(|| RefundFinding::Unknown.into(), |newest| found_void(&newest, refund)))
            }
            ReturnMethod::Refund => {
                let name = refund.attempt.attempt.as_str();
                match self.verify(&account, &refund.attempt, name).await? {
                    Some(record) => Ok(found_refund(&record)),
                    None => self.look_up_listed(&account, refund).await,
                }
            }
        }
    }

    /// Looks for a refund in the list of each day since the attempt. AZUL's "not found" counts only if the lists
    /// confirm it.
    async fn look_up_listed(&self, account: &AzulAccount, refund: &RefundRequest) -> Result<RefundLookup, Unclear> {
        let name = refund.attempt.attempt.as_str();
        let is_ours = |row: &AzulResponse| row.text("CustomOrderId") == name;
        let earliest = refund.opened_at.checked_sub_signed(SKEW).unwrap_or(refund.opened_at);
        let (first, today) = (local_date(earliest), local_date(self.server_now()));
        let mut listed_until = None;
        for day in successors(Some(first), NaiveDate::succ_opt).take_while(|day| *day <= today).take(LISTED_DAYS) {
            if let Some(record) = self.list_day(account, &refund.attempt, day, &is_ours).await?.first() {
                return Ok(found_refund(record));
            }
            listed_until = Some(day);
        }
        Ok(RefundFinding::NotFound { listed_until }.into())
    }

    /// Lists the approved voids and refunds of a day. The refunds of [`reverse`](ports::CardProvider::reverse) are
    /// left out.
    pub(crate) async fn list_returns_of_day(
        &self,
        id: &MerchantAccountId,
        day: NaiveDate,
    ) -> Result<Vec<ListedReturn>, Unclear> {
        let account = self.account(id).await.map_err(|_| Unclear::Unreachable)?;
        let is_return = |row: &AzulResponse| {
            let kind = row.text("TransactionType").to_ascii_lowercase();
            matches!(kind.as_str(), "void" | "refund") && !row.text("CustomOrderId").ends_with(REVERSAL)
        };
        let rows = self.list_rows(&account, (id, None), day, &is_return).await?;
        let records = rows.iter().map(Record::parse).collect::<Option<Vec<Record>>>();
        let records = records.ok_or(Unclear::Incomprehensible)?;
        Ok(records.into_iter().filter(|record| record.class == Class::Approved).map(listed).collect())
    }
}

/// Decides the meaning of a response.
fn interpret(refund: &RefundRequest, class: Class, result: &HttpResult) -> Reading {
    let none = AzulResponse::default();
    let response = result.response().unwrap_or(&none);
    if class == Class::Ambiguous && is_wrong_state(response) {
        return Reading::WrongState;
    }
    let named = response.non_empty("CustomOrderId");
    let name = refund.attempt.attempt.as_str();
    let is_other = refund.method == ReturnMethod::Refund && named.is_some_and(|named| named != name);
    Reading::Clear(match class {
        _ if is_other => RefundResponse::Ambiguous,
        Class::Approved if is_confirmed(refund, response) => {
            RefundResponse::Approved { method: refund.method, reference: reference(response) }
        }
        Class::Unavailable => RefundResponse::NotSubmitted(NotSubmitted::Unavailable),
        Class::Busy => RefundResponse::NotSubmitted(NotSubmitted::Busy),
        Class::Rejected if !is_refused(response) => RefundResponse::NotSubmitted(NotSubmitted::Rejected),
        Class::Declined(_) | Class::Rejected => {
            failure(class, response).map_or(RefundResponse::Ambiguous, RefundResponse::Refused)
        }
        Class::Approved | Class::MethodRequired | Class::ChallengeRequired | Class::Ambiguous => {
            RefundResponse::Ambiguous
        }
    })
}

/// Whether an approval is that of the request. A refund is approved without an authorization code.
fn is_confirmed(refund: &RefundRequest, response: &AzulResponse) -> bool {
    match refund.method {
        ReturnMethod::Void => true,
        ReturnMethod::Refund => {
            response.identifies(refund.attempt.attempt.as_str()) && response.non_empty("AuthorizationCode").is_none()
        }
    }
}

/// Returns AZUL's reference of a void or a refund: the long one (`RRN`), which look-ups show as well, or the order id.
fn reference(response: &AzulResponse) -> Option<AcquirerReference> {
    let text = response.non_empty("RRN").or_else(|| response.non_empty("AzulOrderId"))?;
    AcquirerReference::parse(&text)
}

fn record_reference(record: &Record) -> Option<AcquirerReference> {
    AcquirerReference::parse(record.reference.as_ref().or(record.order.as_ref())?)
}

fn approved(method: ReturnMethod, record: &Record) -> RefundResponse {
    RefundResponse::Approved { method, reference: record_reference(record) }
}

fn done(minor_units: i64, record: &Record) -> RefundLookup {
    RefundLookup { finding: RefundFinding::Done { amount: minor_units }, reference: record_reference(record) }
}

/// Returns the state of a void by the newest record under the name of the charge.
fn found_void(newest: &Record, refund: &RefundRequest) -> RefundLookup {
    match newest.kind {
        // A void without an amount returns the whole charge.
        Kind::Void if newest.is_approved(Kind::Void) => {
            let stated = newest.amount.minor_units();
            done(if stated > 0 { stated } else { refund.of.amount.minor_units() }, newest)
        }
        Kind::Void => newest.failure.map_or(RefundFinding::Unknown, RefundFinding::Refused).into(),
        Kind::Sale | Kind::Post if newest.class == Class::Approved => RefundFinding::NotDone.into(),
        Kind::Sale | Kind::Post | Kind::Hold | Kind::Refund => RefundFinding::Unknown.into(),
    }
}

/// Returns the state of a refund by the record under its own name.
fn found_refund(record: &Record) -> RefundLookup {
    match record.kind {
        Kind::Refund if record.class == Class::Approved => done(record.amount.minor_units(), record),
        Kind::Refund => record.failure.map_or(RefundFinding::Unknown, RefundFinding::Refused).into(),
        Kind::Sale | Kind::Hold | Kind::Post | Kind::Void => RefundFinding::Unknown.into(),
    }
}

fn listed(record: Record) -> ListedReturn {
    ListedReturn {
        method: if record.kind == Kind::Void { ReturnMethod::Void } else { ReturnMethod::Refund },
        reference: record_reference(&record),
        attempt: record.custom_order_id,
        attempt_endings: request::attempt_endings(&record.order_number),
        order: record.order,
        amount: Some(record.amount).filter(|amount| amount.minor_units() > 0),
    }
}

#[cfg(test)]
mod tests;
