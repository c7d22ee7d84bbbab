use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use app::Tenant;
use domain::{MerchantId, Mode};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::late::Late;

/// Lists that a process reads at once. Each takes a connection, and room for what it shows.
const AT_ONCE: usize = 6;
/// Those of one tenant among them, so that there is always room for another's.
const OF_ONE: usize = 4;
/// Those of one tenant that wait for the others.
const WAITING: usize = 32;
/// How long one waits.
const PATIENCE: Duration = Duration::from_secs(2);

/// Takes turns at what costs much: lists may be long, and whoever reads many of them at once keeps nobody else from
/// selling.
pub(super) struct Turns {
    all: Arc<Semaphore>,
    patience: Duration,
    tenants: Mutex<HashMap<(MerchantId, Mode), Line>>,
}

#[derive(Clone)]
struct Line {
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

/// A turn. It is the next one's when this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _of_one: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl Default for Turns {
    fn default() -> Self {
        Self::patient(PATIENCE)
    }
}

impl Turns {
    fn patient(patience: Duration) -> Self {
        Self { all: Arc::new(Semaphore::new(AT_ONCE)), patience, tenants: Mutex::default() }
    }

    /// Waits for a turn of the tenant's.
    pub(super) async fn take(&self, tenant: &Tenant) -> Result<Turn, Late> {
        let late = || Late::for_at_least("lists", Duration::from_secs(1));
        let line = self.line(tenant);
        let Ok(_place) = line.places.try_acquire() else { return Err(late()) };
        let turn = async {
            let of_one = line.turns.clone().acquire_owned().await.ok()?;
            let of_all = self.all.clone().acquire_owned().await.ok()?;
            Some(Turn { _of_one: of_one, _of_all: of_all })
        };
        timeout(self.patience, turn).await.ok().flatten().ok_or_else(late)
    }

    /// Forgets tenants that read nothing.
    pub(super) fn trim(&self) {
        self.lock().retain(|_, it| Arc::strong_count(&it.places) > 1 || it.turns.available_permits() < OF_ONE);
    }

    fn line(&self, tenant: &Tenant) -> Line {
        let new =
            || Line { places: Arc::new(Semaphore::new(OF_ONE + WAITING)), turns: Arc::new(Semaphore::new(OF_ONE)) };
        self.lock().entry((tenant.merchant.clone(), tenant.mode)).or_insert_with(new).clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(MerchantId, Mode), Line>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use testkit::sample;

    use super::*;

    fn other() -> Tenant {
        Tenant { merchant: sample::merchant_id(2), ..sample::tenant() }
    }

    #[tokio::test]
    async fn who_reads_many_lists_at_once_waits_for_himself_alone() {
        let turns = Turns::patient(Duration::from_millis(10));
        let (tenant, other) = (sample::tenant(), other());
        let own = join_all((0..OF_ONE).map(|_| turns.take(&tenant))).await;
        assert!(own.iter().all(Result::is_ok));

        let (one_more, others) = tokio::join!(turns.take(&tenant), turns.take(&other));

        assert_eq!(one_more.unwrap_err().seconds, 1);
        assert!(others.is_ok());
        drop(own);
        assert!(turns.take(&tenant).await.is_ok());
    }

    #[tokio::test]
    async fn only_so_many_wait_and_who_is_gone_is_forgotten() {
        let turns = Turns::patient(Duration::from_millis(10));
        let tenant = sample::tenant();
        let crowd = join_all((0..OF_ONE + WAITING + 1).map(|_| turns.take(&tenant))).await;

        assert_eq!(crowd.iter().filter(|it| it.is_ok()).count(), OF_ONE);
        turns.trim();
        assert_eq!(turns.lock().len(), 1);
        drop(crowd);
        turns.trim();
        assert_eq!(turns.lock().len(), 0);
    }
}
