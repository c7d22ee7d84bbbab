use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use domain::clock::{ClockFault, Skew};
use ports::{Clock, ReferenceClock, Unavailable};

use crate::Error;

/// Watches over the system's clock: while it is wrong, no work is claimed and nothing is changed.
///
/// [`compare`](Self::compare) asks the store, every few seconds and before a sweep. [`check`](Self::check) asks nobody, and
/// still sees a step of the clock since then, by the monotonic clock.
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
    /// The fault that was logged, until it was logged that it is over.
    logged: Option<ClockFault>,
}

/// A comparison, with what our clocks showed at it.
#[derive(Clone, Copy)]
struct Compared {
    skew: Option<Skew>,
    at: DateTime<Utc>,
    monotonic: Option<TimeDelta>,
}

impl ClockGuard {
    /// A guard that compares `ours` with what the store knows of the time. Until it has, our clock is not trusted.
    pub fn new(ours: Arc<dyn Clock>, reference: Arc<dyn ReferenceClock>) -> Self {
        Self { clocks: Some(Clocks { ours, reference }), last: Mutex::default() }
    }

    /// Compares the clocks now.
    ///
    /// # Errors
    ///
    /// The store does not answer: what the last comparison came to stands.
    pub async fn compare(&self) -> Result<(), Unavailable> {
        let Some(Clocks { ours, reference }) = &self.clocks else { return Ok(()) };
        let (sent, begun) = (ours.now(), ours.monotonic());
        let answer = reference.reference().await?;
        let (at, monotonic) = (ours.now(), ours.monotonic());
        let round_trip = match (begun, monotonic) {
            (Some(begun), Some(ended)) => ended - begun,
            _ => at.signed_duration_since(sent),
        };
        let skew = answer.compare(at, round_trip.max(TimeDelta::zero()));
        let before = self.skew();
        self.last().compared = Some(Compared { skew: skew.or(before), at, monotonic });
        self.log();
        Ok(())
    }

    /// Whether our clock can be trusted.
    ///
    /// # Errors
    ///
    /// Why it cannot.
    pub fn check(&self) -> Result<(), ClockFault> {
        if self.clocks.is_none() {
            return Ok(());
        }
        if self.last().compared.is_none() {
            return Err(ClockFault::NotCompared);
        }
        self.skew().and_then(Skew::fault).map_or(Ok(()), Err)
    }

    /// Whether work may be claimed: not while our clock is wrong. That was logged when it was found.
    pub(crate) fn admits_work(&self) -> bool {
        self.check().is_ok()
    }

    /// The seconds by which our clock is ahead of a second one; `None` where there is none.
    pub fn seconds_ahead(&self) -> Option<f64> {
        match self.skew()? {
            Skew::ToClock(ahead) => Some(ahead.as_seconds_f64()),
            Skew::ToStored(_) => None,
        }
    }

    /// How far our clock is ahead, as of now; `None` if it was not compared, or there is nothing to compare it with.
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
