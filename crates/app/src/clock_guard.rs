use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use domain::clock::{ClockFault, Skew};
use ports::{Clock, ReferenceClock, Unavailable};

use crate::Error;

/// Guards the system clock: while the clock is wrong, no work is claimed and no data is changed. The default guard
/// makes no comparison, and trusts the clock.
///
/// [`compare`](Self::compare) queries the store, every few seconds and before a sweep. [`check`](Self::check) makes no
/// query, and still detects a step of the system clock since the comparison, by the monotonic clock.
#[derive(Default)]
pub struct ClockGuard {
    clocks: Option<Clocks>,
    last: Mutex<Last>,
}

struct Clocks {
    ours: Arc<dyn Clock>,
    reference: Arc<dyn ReferenceClock>,
}

#[derive(Default)]
struct Last {
    compared: Option<Compared>,
    /// The fault that was logged; `None` after the end was logged.
    logged: Option<ClockFault>,
}

/// A comparison, and the readings of our clocks at that moment.
#[derive(Clone, Copy)]
struct Compared {
    skew: Option<Skew>,
    at: DateTime<Utc>,
    monotonic: Option<TimeDelta>,
}

impl ClockGuard {
    /// Returns a guard that compares `ours` with the store's time. The clock is not trusted before the first
    /// comparison.
    pub fn new(ours: Arc<dyn Clock>, reference: Arc<dyn ReferenceClock>) -> Self {
        Self { clocks: Some(Clocks { ours, reference }), last: Mutex::default() }
    }

    /// Compares the clocks now.
    ///
    /// # Errors
    ///
    /// If the store does not respond. The result of the last comparison stays in force.
    pub async fn compare(&self) -> Result<(), Unavailable> {
        let Some(Clocks { ours, reference }) = &self.clocks else { return Ok(()) };
        let (sent, begun) = (ours.now(), ours.monotonic());
        let response = reference.reference().await?;
        let (at, monotonic) = (ours.now(), ours.monotonic());
        let round_trip = match (begun, monotonic) {
            (Some(begun), Some(ended)) => ended - begun,
            _ => at.signed_duration_since(sent),
        };
        let skew = response.compare(at, round_trip.max(TimeDelta::zero()));
        let before = self.skew();
        self.last().compared = Some(Compared { skew: skew.or(before), at, monotonic });
        self.log();
        Ok(())
    }

    /// Checks that our clock can be trusted.
    ///
    /// # Errors
    ///
    /// The fault, if the clock cannot be trusted.
    pub fn check(&self) -> Result<(), ClockFault> {
        if self.clocks.is_none() {
            return Ok(());
        }
        if self.last().compared.is_none() {
            return Err(ClockFault::NotCompared);
        }
        self.skew().and_then(Skew::fault).map_or(Ok(()), Err)
    }

    /// Returns how far our clock is ahead of a second one; `None` without a second clock or a comparison.
    pub fn ahead(&self) -> Option<TimeDelta> {
        match self.skew()? {
            Skew::ToClock(ahead) => Some(ahead),
            Skew::ToStored(_) => None,
        }
    }

    /// Returns the skew of the last comparison, corrected by the steps of our clock since; `None` without a result.
    fn skew(&self) -> Option<Skew> {
        let Clocks { ours, .. } = self.clocks.as_ref()?;
        let Compared { skew, at, monotonic } = self.last().compared?;
        let (now, passed) = (ours.now(), ours.monotonic());
        let step = match (monotonic, passed) {
            (Some(then), Some(passed)) => now.signed_duration_since(at) - (passed - then),
            _ => TimeDelta::zero(),
        };
        skew.map(|it| it.after_step(step))
    }

    fn log(&self) {
        let fault = self.check().err();
        let before = std::mem::replace(&mut self.last().logged, fault);
        match (before, fault) {
            (None, Some(fault)) => {
                tracing::error!(%fault, "the system clock is wrong: no work is claimed, nothing is changed")
            }
            (Some(_), None) => tracing::info!("the system clock is right again"),
            _ => {}
        }
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<ClockFault> for Error {
    fn from(fault: ClockFault) -> Self {
        Unavailable { what: "the right time", source: Box::new(fault) }.into()
    }
}
