use std::{cell::RefCell, rc::Rc};

use app::Caller;

use crate::limits::{RateLimitStatus, RateLimited};

/// Facts about a request for the log line and the headers. The log outlives the request, which a panic destroys.
#[derive(Clone, Default)]
pub(crate) struct RequestLog(Rc<RefCell<RequestFacts>>);

/// Facts about a request. They contain no text of the client, except names that Cobro generated.
#[derive(Clone, Default)]
pub(crate) struct RequestFacts {
    /// Template of the route, never the path.
    pub(crate) route: Option<String>,
    pub(crate) caller: Option<CallerLabels>,
    pub(crate) rate_limit: Option<RateLimitStatus>,
    /// Published code of an error response.
    pub(crate) code: Option<&'static str>,
    /// Limit that refused the request.
    pub(crate) refused_by: Option<RateLimited>,
}

/// Caller in the log.
#[derive(Clone)]
pub(crate) struct CallerLabels {
    pub(crate) tenant: String,
    pub(crate) mode: &'static str,
    /// Kind of credential.
    pub(crate) credential: &'static str,
}

impl RequestLog {
    pub(crate) fn update(&self, update: impl FnOnce(&mut RequestFacts)) {
        update(&mut self.0.borrow_mut());
    }

    pub(crate) fn facts(&self) -> RequestFacts {
        self.0.borrow().clone()
    }
}

impl CallerLabels {
    pub(crate) fn of(caller: &Caller) -> Self {
        let tenant = caller.tenant();
        let credential = match caller {
            Caller::Merchant { .. } => "api_key",
            Caller::Holder(_) => "checkout_token",
        };
        Self { tenant: tenant.merchant.to_string(), mode: tenant.mode.as_str(), credential }
    }
}
