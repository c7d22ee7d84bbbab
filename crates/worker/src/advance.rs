use app::{Error, Unexpected, next_returns_sweep};
use chrono::{DateTime, Utc};

use crate::{Worker, pace::SWEEPS_EVERY};

/// Moves the clock that the ports show, never backwards.
pub type SetClock<'a> = &'a (dyn Fn(DateTime<Utc>) -> Result<(), Unexpected> + Send + Sync);

/// So many different times on the way to one are a loop, not a schedule.
const MOST_STOPS: usize = 100_000;

/// Next sweep of the returns at the providers while the clock is moved.
struct ReturnSweeps {
    next: DateTime<Utc>,
}

impl ReturnSweeps {
    /// Begins with a retry: a sweep may have failed just before.
    fn from(now: DateTime<Utc>) -> Self {
        Self { next: Self::retry(now) }
    }

    fn swept(&mut self, now: DateTime<Utc>, is_complete: bool) {
        self.next = if is_complete { next_returns_sweep(now) } else { Self::retry(now) };
    }

    fn retry(now: DateTime<Utc>) -> DateTime<Utc> {
        let next = next_returns_sweep(now);
        now.checked_add_signed(SWEEPS_EVERY).map_or(next, |retry| retry.min(next))
    }
}

impl Worker {
    /// Moves the clock to `until`, and stops at each due time on the way, so that no step runs late.
    ///
    /// # Errors
    ///
    /// If the work cannot be read, does not end, or the clock cannot be moved. The clock then stays at that time.
    pub async fn advance(&self, set_clock: SetClock<'_>, until: DateTime<Utc>) -> Result<(), Error> {
        let _turn = self.activity.write().await;
        // Until it is dropped.
        let _paused = match &self.dispatcher {
            Some(dispatcher) => Some(dispatcher.pause().await),
            None => None,
        };
        self.advance_in_turn(set_clock, until).await
    }

    async fn advance_in_turn(&self, set_clock: SetClock<'_>, until: DateTime<Utc>) -> Result<(), Error> {
        let mut sweeps = ReturnSweeps::from(self.ports.clock.now());
        let mut unclaimed = None;
        for _ in 0..MOST_STOPS {
            self.drain_locked().await?;
            if sweeps.next <= self.ports.clock.now() {
                let is_complete = self.sweep_returns().await?;
                sweeps.swept(self.ports.clock.now(), is_complete);
                // Found money may owe a credit note.
                continue;
            }
            let due = self.next_due().await?;
            // The clock runs on: read after the work, so that no due time is taken for a later one.
            let now = self.ports.clock.now();
            let overdue = due.filter(|due| *due <= now);
            if overdue != unclaimed && overdue.is_some() {
                // Due since the batch.
                unclaimed = overdue;
                continue;
            }
            // Another worker runs the remaining overdue work: a later time does not help.
            let stop = due.filter(|due| *due > now).map_or(sweeps.next, |due| due.min(sweeps.next));
            if stop > until {
                return self.end_advance(set_clock, until.max(now)).await;
            }
            set_clock(stop).map_err(Error::internal)?;
        }
        Err(Error::internal("the work that is due until then does not end"))
    }

    async fn end_advance(&self, set_clock: SetClock<'_>, until: DateTime<Utc>) -> Result<(), Error> {
        set_clock(until).map_err(Error::internal)?;
        self.drain_locked().await?;
        self.sweep().await?;
        self.sweep_returns().await?;
        self.drain_locked().await
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, Error> {
        let work = self.ports.work.next_due().await?;
        let event = match self.dispatcher {
            Some(_) => self.ports.webhooks.next_due().await?,
            None => None,
        };
        let mail = match self.email {
            Some(_) => self.ports.deliveries.next_due().await?,
            None => None,
        };
        Ok(work.into_iter().chain(event).chain(mail).min())
    }
}
