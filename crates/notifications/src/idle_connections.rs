use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::time::{Instant, sleep};

use crate::{connection::Connection, connector::Origin};

/// Maximum number of idle connections to one origin.
const MAX_OF_ORIGIN: usize = 32;
/// Maximum number of idle connections.
const MAX: usize = 128;

/// Limits of idle connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdleLimits {
    /// How long a connection may be idle.
    pub(crate) idle: Duration,
    /// Maximum age: the address of a connection was checked when it was opened.
    pub(crate) age: Duration,
}

/// Connections that wait for the next request.
pub(crate) struct IdleConnections {
    limits: IdleLimits,
    pool: Mutex<Pool>,
}

#[derive(Default)]
struct Pool {
    /// Newest last.
    by_origin: HashMap<Origin, Vec<Idle>>,
    /// Whether a task removes expired connections.
    is_swept: bool,
}

struct Idle {
    since: Instant,
    connection: Connection,
}

impl IdleConnections {
    pub(crate) fn new(limits: IdleLimits) -> Arc<Self> {
        Arc::new(Self { limits, pool: Mutex::default() })
    }

    /// Removes and returns the connection to `origin` that was used last.
    pub(crate) fn take(&self, origin: &Origin) -> Option<Connection> {
        let mut pool = self.lock();
        let idle = pool.by_origin.get_mut(origin)?;
        let now = Instant::now();
        idle.retain(|idle| self.is_usable(idle, now));
        idle.pop().map(|idle| idle.connection)
    }

    /// Adds a connection whose response was read, or closes the connection if there are too many.
    pub(crate) fn put(self: &Arc<Self>, origin: Origin, connection: Connection) {
        let (mut pool, now) = (self.lock(), Instant::now());
        let idle = Idle { since: now, connection };
        let is_full = pool.by_origin.values().map(Vec::len).sum::<usize>() >= MAX;
        if is_full || !self.is_usable(&idle, now) {
            return;
        }
        let of_origin = pool.by_origin.entry(origin).or_default();
        if of_origin.len() < MAX_OF_ORIGIN {
            of_origin.push(idle);
        }
        if !std::mem::replace(&mut pool.is_swept, true) {
            tokio::spawn(sweep(Arc::downgrade(self), self.limits.idle / 2));
        }
    }

    /// Closes expired connections. Returns whether any is left.
    fn close_expired(&self) -> bool {
        let (mut pool, now) = (self.lock(), Instant::now());
        for idle in pool.by_origin.values_mut() {
            idle.retain(|idle| self.is_usable(idle, now));
        }
        pool.by_origin.retain(|_, idle| !idle.is_empty());
        pool.is_swept = !pool.by_origin.is_empty();
        pool.is_swept
    }

    fn is_usable(&self, idle: &Idle, now: Instant) -> bool {
        let is_fresh = now.duration_since(idle.since) < self.limits.idle;
        is_fresh && now.duration_since(idle.connection.opened_at) < self.limits.age && !idle.connection.is_closed()
    }

    fn lock(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes expired connections until none is left.
async fn sweep(idle: Weak<IdleConnections>, interval: Duration) {
    loop {
        sleep(interval).await;
        let Some(idle) = idle.upgrade() else { return };
        if !idle.close_expired() {
            return;
        }
    }
}
