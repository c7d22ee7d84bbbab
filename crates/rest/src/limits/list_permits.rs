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

use super::rate_limited::RateLimited;

/// Lists that a process reads at once. Each takes a database connection and memory for the items.
const CONCURRENT: usize = 6;
/// Lists of one tenant among them: permits remain for other tenants.
const PER_TENANT: usize = 4;
/// Requests of one tenant that wait for a permit.
const QUEUE: usize = 32;
/// Maximum wait for a permit.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Permits to read lists, which may be long: a tenant that reads many at once must not slow the sales of others.
pub(super) struct ListPermits {
    total: Arc<Semaphore>,
    timeout: Duration,
    tenants: Mutex<HashMap<(MerchantId, Mode), TenantPermits>>,
}

#[derive(Clone)]
struct TenantPermits {
    queue: Arc<Semaphore>,
    permits: Arc<Semaphore>,
}

/// Permit to read a list, freed on drop.
#[derive(Debug)]
pub(crate) struct ListPermit {
    _tenant: OwnedSemaphorePermit,
    _total: OwnedSemaphorePermit,
}

impl Default for ListPermits {
    fn default() -> Self {
        Self::with_timeout(TIMEOUT)
    }
}

impl ListPermits {
    fn with_timeout(timeout: Duration) -> Self {
        Self { total: Arc::new(Semaphore::new(CONCURRENT)), timeout, tenants: Mutex::default() }
    }

    /// Waits for a permit of the tenant.
    pub(super) async fn acquire(&self, tenant: &Tenant) -> Result<ListPermit, RateLimited> {
        let refused = || RateLimited::after("lists", Duration::from_secs(1));
        let own = self.of_tenant(tenant);
        let Ok(_queued) = own.queue.try_acquire() else { return Err(refused()) };
        let permit = async {
            let tenant = own.permits.clone().acquire_owned().await.ok()?;
            let total = self.total.clone().acquire_owned().await.ok()?;
            Some(ListPermit { _tenant: tenant, _total: total })
        };
        timeout(self.timeout, permit).await.ok().flatten().ok_or_else(refused)
    }

    /// Removes tenants that hold no permit and wait for none.
    pub(super) fn trim(&self) {
        self.lock().retain(|_, own| Arc::strong_count(&own.queue) > 1 || own.permits.available_permits() < PER_TENANT);
    }

    fn of_tenant(&self, tenant: &Tenant) -> TenantPermits {
        let new = || TenantPermits {
            queue: Arc::new(Semaphore::new(PER_TENANT + QUEUE)),
            permits: Arc::new(Semaphore::new(PER_TENANT)),
        };
        self.lock().entry((tenant.merchant.clone(), tenant.mode)).or_insert_with(new).clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(MerchantId, Mode), TenantPermits>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use testkit::sample;

    use super::*;

    fn other_tenant() -> Tenant {
        Tenant { merchant: sample::merchant_id(2), ..sample::tenant() }
    }

    #[tokio::test]
    async fn a_tenant_with_many_lists_waits_while_other_tenants_read() {
        let permits = ListPermits::with_timeout(Duration::from_millis(10));
        let (tenant, other) = (sample::tenant(), other_tenant());
        let own = join_all((0..PER_TENANT).map(|_| permits.acquire(&tenant))).await;
        assert!(own.iter().all(Result::is_ok));

        let (one_more, others) = tokio::join!(permits.acquire(&tenant), permits.acquire(&other));

        assert_eq!(one_more.unwrap_err().retry_after, 1);
        assert!(others.is_ok());
        drop(own);
        assert!(permits.acquire(&tenant).await.is_ok());
    }

    #[tokio::test]
    async fn the_queue_is_bounded_and_idle_tenants_are_removed() {
        let permits = ListPermits::with_timeout(Duration::from_millis(10));
        let tenant = sample::tenant();
        let all = join_all((0..PER_TENANT + QUEUE + 1).map(|_| permits.acquire(&tenant))).await;

        assert_eq!(all.iter().filter(|acquired| acquired.is_ok()).count(), PER_TENANT);
        permits.trim();
        assert_eq!(permits.lock().len(), 1);
        drop(all);
        permits.trim();
        assert_eq!(permits.lock().len(), 0);
    }
}
