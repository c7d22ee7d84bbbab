//! What AZUL can be asked without moving anything.

use chrono::{Days, NaiveDate};
use domain::fiscal::local_date;
use ports::{AttemptRef, LookUp};

use crate::{
    Account, Azul,
    answer::{Answer, Body},
    classify::Wire,
    record::{Kind, Record, story},
    request::{self, Operation},
};

/// For how many days back a transaction is searched: as long as a hold lives, and a day for the zone.
const SEARCHED_DAYS: u64 = 8;
/// For how many days back a "not found" is checked in the list of all transactions.
const CHECKED_DAYS: u64 = 1;

/// AZUL cannot be asked, or cannot be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unclear;

impl Azul {
    /// What is known of an attempt.
    ///
    /// Most of it is told by the newest record alone. Where that is about what came later, or there is
    /// none, the list of all transactions is read: a "not found" that the list contradicts is none.
    pub(crate) async fn known(&self, account: &Account, of: &AttemptRef) -> Result<LookUp, Unclear> {
        let now = self.clock.now();
        let Some(newest) = self.verify(account, of, of.attempt.as_str()).await? else {
            let records = self.listed(account, of, CHECKED_DAYS).await?;
            return Ok(story(&records, now));
        };
        match newest.kind {
            Kind::Sale => {
                let mut records = vec![newest];
                // It can only be returned by a refund once it is too late for a void.
                if self.is_beyond_void(&records[0]) {
                    records.extend(self.verify(account, of, &request::refund_id(&of.attempt)).await?);
                }
                Ok(story(&records, now))
            }
            Kind::Hold => Ok(story(&[newest], now)),
            Kind::Post if newest.is_approved(Kind::Post) => Ok(story(&[newest], now)),
            Kind::Post | Kind::Void | Kind::Refund => {
                let mut records = self.listed(account, of, SEARCHED_DAYS).await?;
                // The list may be slower than the record.
                if !records.iter().any(|it| (it.kind, it.class, it.at) == (newest.kind, newest.class, newest.at)) {
                    records.push(newest);
                }
                Ok(story(&records, now))
            }
        }
    }

    /// The newest record under an order id of ours; `None` if there is none, which proves nothing.
    pub(crate) async fn verify(
        &self,
        account: &Account,
        of: &AttemptRef,
        custom_order_id: &str,
    ) -> Result<Option<Record>, Unclear> {
        let body = request::verify(account, custom_order_id).ok_or(Unclear)?;
        let answer = self.question(account, of, Operation::Verify, body).await?;
        // Whether it was found comes before what it came to: the question may succeed alone.
        match answer.truth("Found") {
            Some(true) => {
                let mut record = Record::read(&answer).ok_or(Unclear)?;
                let is_ours = record.custom_order_id.is_empty() || record.custom_order_id == custom_order_id;
                custom_order_id.clone_into(&mut record.custom_order_id);
                is_ours.then_some(Some(record)).ok_or(Unclear)
            }
            Some(false) if !answer.text("ResponseCode").eq_ignore_ascii_case("Error") => Ok(None),
            _ => Err(Unclear),
        }
    }

    /// All records of an attempt and its refund, from today back to the day of the attempt itself, or
    /// over as many days.
    pub(crate) async fn listed(&self, account: &Account, of: &AttemptRef, days: u64) -> Result<Vec<Record>, Unclear> {
        let today = local_date(self.clock.now());
        let names = [of.attempt.as_str().to_owned(), request::refund_id(&of.attempt)];
        let mut records = Vec::new();
        for back in 0..=days {
            let day = today.checked_sub_days(Days::new(back)).ok_or(Unclear)?;
            for item in self.day(account, of, day).await? {
                if names.contains(&item.text("CustomOrderId")) {
                    records.push(Record::read(&item).ok_or(Unclear)?);
                }
            }
            if records.iter().any(|it| matches!(it.kind, Kind::Sale | Kind::Hold)) {
                break;
            }
        }
        Ok(records)
    }

    async fn day(&self, account: &Account, of: &AttemptRef, day: NaiveDate) -> Result<Vec<Answer>, Unclear> {
        let body = request::search(account, day).ok_or(Unclear)?;
        let answer = self.question(account, of, Operation::Search, body).await?;
        if !answer.text("ResponseCode").eq_ignore_ascii_case("SEARCHED") {
            return Err(Unclear);
        }
        answer.list("Transactions").ok_or(Unclear)
    }

    async fn question(
        &self,
        account: &Account,
        of: &AttemptRef,
        operation: Operation,
        body: bytes::Bytes,
    ) -> Result<Answer, Unclear> {
        match self.line.ask(&of.account, account, operation, body).await {
            Ok(Wire::Answered { status: 200, body: Body::Said(answer) }) => Ok(answer),
            Ok(seen) => {
                let status = if let Wire::Answered { status, .. } = seen { status } else { 0 };
                tracing::warn!(operation = operation.as_str(), attempt = %of.attempt, status, "AZUL gave no clear answer");
                Err(Unclear)
            }
            Err(error) => {
                tracing::error!(account = %of.account, %error, "AZUL cannot be asked");
                Err(Unclear)
            }
        }
    }
}
