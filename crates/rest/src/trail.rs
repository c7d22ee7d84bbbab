use std::{cell::RefCell, rc::Rc};

use app::Caller;

use crate::limits::{Late, Standing};

/// What is found out about an exchange on its way, for its log line and its headers. It is kept
/// apart from the request, which a panic takes with it.
#[derive(Clone, Default)]
pub(crate) struct Trail(Rc<RefCell<Found>>);

/// What was found out. Nothing of it is what anybody sent, except for names that we gave.
#[derive(Clone, Default)]
pub(crate) struct Found {
    /// The template of the route, never the path.
    pub(crate) route: Option<String>,
    pub(crate) who: Option<Who>,
    pub(crate) standing: Option<Standing>,
    /// The published code of what went wrong.
    pub(crate) code: Option<&'static str>,
    /// Why the caller was sent away, if it came too often.
    pub(crate) late: Option<Late>,
}

/// Who asks, as the log names them.
#[derive(Clone)]
pub(crate) struct Who {
    pub(crate) tenant: String,
    pub(crate) mode: &'static str,
    /// The kind of credential.
    pub(crate) credential: &'static str,
}

impl Trail {
    pub(crate) fn note(&self, note: impl FnOnce(&mut Found)) {
        note(&mut self.0.borrow_mut());
    }

    pub(crate) fn found(&self) -> Found {
        self.0.borrow().clone()
    }
}

impl Who {
    pub(crate) fn of(caller: &Caller) -> Self {
        let tenant = caller.tenant();
        let credential = match caller {
            Caller::Merchant { .. } => "api_key",
            Caller::Holder(_) => "checkout_token",
        };
        Self { tenant: tenant.merchant.to_string(), mode: tenant.mode.as_str(), credential }
    }
}
