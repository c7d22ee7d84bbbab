use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    AttemptId, Currency, Split,
    payment::{Challenged, Decline, DeclineCode, PendingAttempt, Stage},
    split::PartStage,
};
use serde::{Deserialize, Serialize};

use crate::{
    column::Column,
    records::{self, SplitRecord, VerificationProgress},
    schema::payments,
    time::{instant, millis},
};

/// Facts of a payment's stage. Columns of other stages are `NULL`.
#[derive(Default, PartialEq, Eq, Queryable, Selectable, Insertable, AsChangeset, Serialize, Deserialize)]
#[diesel(table_name = payments, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct StageRow {
    status: String,
    attempt: Option<String>,
    submitted_at: Option<i64>,
    ended_at: Option<i64>,
    decline_code: Option<String>,
    decline_can_try_again: Option<bool>,
    challenge: Option<String>,
    verification: Option<String>,
    split: Option<String>,
}

impl From<&Stage> for StageRow {
    fn from(stage: &Stage) -> Self {
        let mut row = Self { status: stage.status().as_str().to_owned(), ..Self::default() };
        match stage {
            Stage::RequiresCustomerAction(None) => {}
            Stage::Split(split) => row.set_split(split),
            Stage::RequiresCustomerAction(Some(waiting)) => {
                row.set_submission(&waiting.attempt, waiting.since);
                row.challenge = Some(records::json(&waiting.challenge));
            }
            Stage::Processing(submission) => {
                row.set_submission(&submission.attempt, submission.since);
                if let Some(before) = &submission.before {
                    row.set_decline(before);
                }
            }
            Stage::Verifying(verification) => {
                row.set_submission(&verification.attempt, verification.submitted_at);
                row.verification = Some(records::json(&VerificationProgress::from(verification)));
            }
            Stage::Declined { decline, at } => {
                row.set_decline(decline);
                row.ended_at = Some(millis(*at));
            }
            Stage::Succeeded { at } | Stage::Canceled { at } | Stage::Expired { at } => {
                row.ended_at = Some(millis(*at));
            }
        }
        row
    }
}

impl StageRow {
    /// Sets the parts, and the columns for queries, which are computed from the parts.
    fn set_split(&mut self, split: &Split) {
        let doubts = split.parts().iter().filter_map(|it| match it.stage() {
            PartStage::Verifying(doubt) => Some(doubt.verification().submitted_at),
            _ => None,
        });
        self.submitted_at = doubts.min().map(millis);
        self.ended_at = split.ended_at().map(millis);
        self.split = Some(records::json(&SplitRecord::from(split)));
    }

    fn set_submission(&mut self, attempt: &AttemptId, at: DateTime<Utc>) {
        self.attempt = Some(attempt.as_str().to_owned());
        self.submitted_at = Some(millis(at));
    }

    fn set_decline(&mut self, decline: &Decline) {
        self.decline_code = Some(decline.code.as_str().to_owned());
        self.decline_can_try_again = Some(decline.can_try_again);
    }

    /// # Errors
    ///
    /// The column that contradicts the others.
    pub(super) fn restore(&self, currency: Currency) -> Result<Stage, &'static str> {
        match self.split.as_deref() {
            Some(split) => self.restore_split(split, currency),
            None => self.restore_whole(),
        }
    }

    /// Checks that the columns for queries agree with the parts.
    fn restore_split(&self, split: &str, currency: Currency) -> Result<Stage, &'static str> {
        let split = records::parse::<SplitRecord>(split).ok_or("split")?;
        let stage = Stage::Split(split.restore(currency));
        if *self != (Self { split: self.split.clone(), ..Self::from(&stage) }) {
            return Err("status");
        }
        Ok(stage)
    }

    fn restore_whole(&self) -> Result<Stage, &'static str> {
        let submission = self.submission().ok_or("attempt")?;
        let decline = self.decline().ok_or("decline_code")?;
        let challenge = Option::load(self.challenge.clone(), "challenge")?;
        let verification: Option<VerificationProgress> = Option::load(self.verification.clone(), "verification")?;
        let ended_at = Option::load(self.ended_at, "ended_at")?;

        Ok(match (self.status.as_str(), submission, challenge, verification, decline, ended_at) {
            ("requires_customer_action", None, None, None, None, None) => Stage::RequiresCustomerAction(None),
            ("requires_customer_action", Some((attempt, since)), Some(challenge), None, None, None) => {
                Stage::RequiresCustomerAction(Some(Challenged { attempt, since, challenge }))
            }
            ("processing", Some((attempt, since)), None, None, before, None) => {
                Stage::Processing(PendingAttempt { attempt, since, before })
            }
            ("verifying", Some((attempt, since)), None, Some(progress), None, None) => {
                Stage::Verifying(progress.restore(attempt, since))
            }
            ("succeeded", None, None, None, None, Some(at)) => Stage::Succeeded { at },
            ("declined", None, None, None, Some(decline), Some(at)) => Stage::Declined { decline, at },
            ("canceled", None, None, None, None, Some(at)) => Stage::Canceled { at },
            ("expired", None, None, None, None, Some(at)) => Stage::Expired { at },
            _ => return Err("status"),
        })
    }

    fn submission(&self) -> Option<Option<(AttemptId, DateTime<Utc>)>> {
        match (&self.attempt, self.submitted_at) {
            (None, None) => Some(None),
            (Some(attempt), Some(at)) => Some(Some((AttemptId::parse(attempt)?, instant(at)?))),
            _ => None,
        }
    }

    fn decline(&self) -> Option<Option<Decline>> {
        match (&self.decline_code, self.decline_can_try_again) {
            (None, None) => Some(None),
            (Some(code), Some(can_try_again)) => {
                Some(Some(Decline { code: DeclineCode::from_code(code)?, can_try_again }))
            }
            _ => None,
        }
    }
}
