//! Injected faults: each affects one call of its target.

use std::collections::VecDeque;

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;

use crate::spelled::spelled;

/// Delay before look-ups see a transaction or document.
const VISIBILITY_LAG: TimeDelta = TimeDelta::minutes(5);

/// Returns the end of the visibility lag.
pub(crate) fn visible_from(now: DateTime<Utc>) -> DateTime<Utc> {
    now.checked_add_signed(VISIBILITY_LAG).unwrap_or(now)
}

spelled! {
    /// Target of a fault.
    pub Target {
        /// The card acquirer.
        Acquirer = "acquirer",
        /// The tax authority.
        Authority = "authority",
        /// The register of taxpayers.
        Directory = "directory",
        /// The mail server.
        Mail = "mail",
        /// The store of signed documents.
        Artifacts = "artifacts",
    }
}

spelled! {
    /// Failure of a call. None waits in real time: a late response is a lost one.
    pub Fault {
        /// The call never arrives.
        BeforeRequest = "before_request",
        /// The call takes effect, and the response is lost.
        AfterCommit = "after_commit",
        /// The call takes effect, and the response is too late.
        Delay = "delay",
        /// The call takes effect, and the connection breaks.
        Drop = "drop",
        /// The call takes effect, and the response is an error without information.
        Status = "status",
        /// The call takes effect, the response is lost, and look-ups do not find the result for five minutes. On a
        /// look-up the lag begins with that look-up.
        VisibilityLag = "visibility_lag",
    }
}

/// Pending faults, shared by all targets.
#[derive(Debug, Default)]
pub struct Faults(Mutex<VecDeque<ParsedFault>>);

impl Faults {
    /// Maximum number of calls of one fault.
    pub const MAX_COUNT: u32 = 1000;
    /// Maximum number of pending faults.
    pub const MAX_WAITING: usize = 100;

    /// Fails the next `count` calls of `target`, after the pending faults.
    ///
    /// # Errors
    ///
    /// [`FaultError::Count`] unless `count` is 1 to [`MAX_COUNT`](Self::MAX_COUNT); [`FaultError::TooMany`] if
    /// [`MAX_WAITING`](Self::MAX_WAITING) faults are pending.
    pub fn inject(&self, target: Target, fault: Fault, count: u32) -> Result<(), FaultError> {
        if !(1..=Self::MAX_COUNT).contains(&count) {
            return Err(FaultError::Count);
        }
        let mut waiting = self.0.lock();
        if waiting.len() >= Self::MAX_WAITING {
            return Err(FaultError::TooMany);
        }
        waiting.push_back(ParsedFault { target, fault, count });
        Ok(())
    }

    /// Takes the next fault of `target`, if there is one.
    pub fn take(&self, target: Target) -> Option<Fault> {
        let mut waiting = self.0.lock();
        let index = waiting.iter().position(|it| it.target == target)?;
        let next = waiting.get_mut(index)?;
        let fault = next.fault;
        next.count = next.count.saturating_sub(1);
        if next.count == 0 {
            waiting.remove(index);
        }
        Some(fault)
    }
}

/// The error of a call that failed by request.
#[derive(Debug, thiserror::Error)]
#[error("a fault was injected: {}", .0.as_str())]
pub(crate) struct Injected(pub(crate) Fault);

/// A fault of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedFault {
    /// Target.
    pub target: Target,
    /// Failure.
    pub fault: Fault,
    /// Number of calls.
    pub count: u32,
}

impl ParsedFault {
    /// Parses a fault; the default count is one.
    ///
    /// # Errors
    ///
    /// A [`FaultError`] that names the field.
    pub fn parse(target: &str, fault: &str, count: Option<u64>) -> Result<Self, FaultError> {
        let target = Target::from_code(target).ok_or(FaultError::Target)?;
        let fault = Fault::from_code(fault).ok_or(FaultError::Fault)?;
        let count = u32::try_from(count.unwrap_or(1)).map_err(|_| FaultError::Count)?;
        if !(1..=Faults::MAX_COUNT).contains(&count) {
            return Err(FaultError::Count);
        }
        Ok(Self { target, fault, count })
    }
}

/// The fault cannot be injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// Unknown target.
    #[error("target: acquirer, authority, directory, mail or artifacts")]
    Target,
    /// Unknown fault.
    #[error("fault: before_request, after_commit, delay, drop, status or visibility_lag")]
    Fault,
    /// The count is zero or too large.
    #[error("count: 1 to 1000")]
    Count,
    /// Too many faults are pending.
    #[error("too many faults wait to happen")]
    TooMany,
}
