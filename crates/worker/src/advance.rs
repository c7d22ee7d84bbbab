use app::{Error, Unexpected};
use chrono::{DateTime, Utc};

use crate::Worker;

/// Moves the clock that the ports show, never backwards.
pub type SetClock<'a> = &'a (dyn Fn(DateTime<Utc>) -> Result<(), Unexpected> + Send + Sync);

/// So many different times on the way to one are a loop, not a schedule.
const MOST_STOPS: usize = 100_000;

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
        for _ in 0..MOST_STOPS {
            self.drain_locked().await?;
            let now = self.ports.clock.now();
            match self.next_due().await? {
                // Another worker runs the remaining due work: a later time does not help.
                Some(due) if due <= until && due > now => set_clock(due).map_err(Error::internal)?,
                _ => {
                    set_clock(until.max(now)).map_err(Error::internal)?;
                    self.drain_locked().await?;
                    self.sweep().await?;
                    self.sweep_returns().await?;
                    // Found money may owe a credit note.
                    return self.drain_locked().await;
                }
            }
        }
        Err(Error::internal("the work that is due until then does not end"))
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
