//! Look-ups, which move no money.

use std::slice;

use chrono::{DateTime, Days, NaiveDate, Utc};
use domain::{AttemptId, MerchantAccountId, fiscal::local_date};
use ports::{AccountProvider, AttemptRef, LookUp};

use crate::{
    Azul, AzulAccount,
    classify::HttpResult,
    http_client::CredentialsUnusable,
    record::{Kind, Record, summarize},
    request::{self, Inexpressible, Operation},
    response::{AzulResponse, Body},
    transaction_list::RowFilter,
};

/// Days back in which a transaction is searched: the validity of a hold, and a day for the time zone.
const SEARCHED_DAYS: u64 = 8;
/// Days back in which the list of transactions is compared with a "not found".
const CHECKED_DAYS: u64 = 1;

/// Reason for a look-up without a usable response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unclear {
    /// No connection was made.
    Unreachable,
    /// AZUL was reached, or may have been, and the response is missing or incomprehensible.
    Incomprehensible,
}

impl From<Inexpressible> for Unclear {
    fn from(_: Inexpressible) -> Self {
        Self::Incomprehensible
    }
}

impl Azul {
    /// Returns the state of an attempt.
    ///
    /// Usually the newest record is sufficient. If that record is a later transaction, or there is none, the list of
    /// all transactions is read as well: AZUL's "not found" counts only if the list confirms it.
    pub(crate) async fn find_attempt(
        &self,
        account: &AzulAccount,
        attempt_ref: &AttemptRef,
    ) -> Result<LookUp, Unclear> {
        let newest = self.verify(account, attempt_ref, attempt_ref.attempt.as_str()).await?;
        // After the response, which contains AZUL's time.
        let now = self.server_now();
        let Some(newest) = newest else {
            let records = self.list(account, attempt_ref, CHECKED_DAYS).await?;
            return require_reference(summarize(&records, now));
        };
        let records = match newest.kind {
            Kind::Sale => {
                let mut records = vec![newest];
                // Too late for a void, only a refund can have reversed it.
                if self.is_beyond_void(&records[0]) {
                    records.extend(self.verify(account, attempt_ref, &request::refund_id(&attempt_ref.attempt)).await?);
                }
                records
            }
            // Only the list contains the order id, which a capture needs.
            Kind::Hold if require_reference(summarize(slice::from_ref(&newest), now)).is_err() => {
                with_newest(self.list_attempt(account, attempt_ref, local_date(newest.at)).await?, newest)
            }
            Kind::Hold => vec![newest],
            Kind::Post if newest.is_approved(Kind::Post) => vec![newest],
            Kind::Post | Kind::Void | Kind::Refund => {
                with_newest(self.list(account, attempt_ref, SEARCHED_DAYS).await?, newest)
            }
        };
        require_reference(summarize(&records, now))
    }

    /// Returns the time by AZUL's clock, as the responses show it: holds expire by that clock, even if ours is wrong.
    pub(crate) fn server_now(&self) -> DateTime<Utc> {
        let now = self.clock.now();
        self.clock_skew().and_then(|skew| now.checked_add_signed(skew)).unwrap_or(now)
    }

    /// Returns the newest record with this order id of ours; `None` if AZUL finds none, which is no proof.
    pub(crate) async fn verify(
        &self,
        account: &AzulAccount,
        attempt_ref: &AttemptRef,
        custom_order_id: &str,
    ) -> Result<Option<Record>, Unclear> {
        let body = request::verify(account, custom_order_id)?;
        let result = self.http.send(&attempt_ref.account, account, Operation::Verify, body).await;
        let response = require_response((&attempt_ref.account, Some(&attempt_ref.attempt)), Operation::Verify, result)?;
        // `Found` is read first: without a record, the other fields describe the look-up itself.
        match response.boolean("Found") {
            Some(true) => {
                let mut record = Record::parse(&response).ok_or(Unclear::Incomprehensible)?;
                let is_ours = record.custom_order_id.is_empty() || record.custom_order_id == custom_order_id;
                custom_order_id.clone_into(&mut record.custom_order_id);
                is_ours.then_some(Some(record)).ok_or(Unclear::Incomprehensible)
            }
            Some(false) if !response.is_error() => Ok(None),
            _ => Err(Unclear::Incomprehensible),
        }
    }

    /// Returns the records of an attempt and its refund, from today back to the day of the attempt, at most `days`.
    pub(crate) async fn list(
        &self,
        account: &AzulAccount,
        attempt_ref: &AttemptRef,
        days: u64,
    ) -> Result<Vec<Record>, Unclear> {
        let today = local_date(self.server_now());
        let mut records = Vec::new();
        for back in 0..=days {
            let day = today.checked_sub_days(Days::new(back)).ok_or(Unclear::Incomprehensible)?;
            records.extend(self.list_attempt(account, attempt_ref, day).await?);
            if records.iter().any(|record| matches!(record.kind, Kind::Sale | Kind::Hold)) {
                break;
            }
        }
        Ok(records)
    }

    /// Returns the records of an attempt and its reversal on a day.
    async fn list_attempt(
        &self,
        account: &AzulAccount,
        attempt_ref: &AttemptRef,
        day: NaiveDate,
    ) -> Result<Vec<Record>, Unclear> {
        let ids = [attempt_ref.attempt.as_str().to_owned(), request::refund_id(&attempt_ref.attempt)];
        self.list_day(account, attempt_ref, day, &|row| ids.contains(&row.text("CustomOrderId"))).await
    }

    /// Returns the records of a day that match `filter`.
    pub(crate) async fn list_day(
        &self,
        account: &AzulAccount,
        attempt_ref: &AttemptRef,
        day: NaiveDate,
        filter: RowFilter<'_>,
    ) -> Result<Vec<Record>, Unclear> {
        let rows = self.list_rows(account, (&attempt_ref.account, Some(&attempt_ref.attempt)), day, filter).await?;
        rows.iter().map(Record::parse).collect::<Option<_>>().ok_or(Unclear::Incomprehensible)
    }

    /// Returns the transactions of a day that match `filter`.
    pub(crate) async fn list_rows(
        &self,
        account: &AzulAccount,
        of: (&MerchantAccountId, Option<&AttemptId>),
        day: NaiveDate,
        filter: RowFilter<'_>,
    ) -> Result<Vec<AzulResponse>, Unclear> {
        let result = self.http.list(of.0, account, request::search(account, day)?, filter).await;
        let response = require_response(of, Operation::Search, result)?;
        if !response.text("ResponseCode").eq_ignore_ascii_case("SEARCHED") {
            return Err(Unclear::Incomprehensible);
        }
        response.list("Transactions").ok_or(Unclear::Incomprehensible)
    }
}

/// Refuses a hold without AZUL's order id.
fn require_reference(found: LookUp) -> Result<LookUp, Unclear> {
    if matches!(found, LookUp::Held { reference: None, .. }) { Err(Unclear::Incomprehensible) } else { Ok(found) }
}

/// Adds the newest record to a list that may lag behind.
fn with_newest(mut listed: Vec<Record>, newest: Record) -> Vec<Record> {
    let key = |record: &Record| (record.kind, record.class, record.at);
    if !listed.iter().any(|record| key(record) == key(&newest)) {
        listed.push(newest);
    }
    listed
}

/// Returns the fields of a successful response.
fn require_response(
    (id, attempt): (&MerchantAccountId, Option<&AttemptId>),
    operation: Operation,
    result: Result<HttpResult, CredentialsUnusable>,
) -> Result<AzulResponse, Unclear> {
    match result {
        Ok(HttpResult::Response { status: 200, body: Body::Fields(response) }) => Ok(response),
        Ok(result) => {
            let status = if let HttpResult::Response { status, .. } = result { status } else { 0 };
            let attempt = attempt.map(tracing::field::display);
            tracing::warn!(operation = operation.as_str(), account = %id, attempt, status, "no clear response of AZUL");
            Err(if result == HttpResult::NotConnected { Unclear::Unreachable } else { Unclear::Incomprehensible })
        }
        Err(error) => {
            tracing::error!(account = %id, %error, "AZUL cannot be called");
            Err(Unclear::Unreachable)
        }
    }
}
