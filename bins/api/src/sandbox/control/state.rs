use std::sync::Arc;

use app::{Ports, Tenant};
use worker::Worker;

use crate::sandbox::world::World;

/// Path of the control routes.
pub(in crate::sandbox) const PATH: &str = "/sandbox";

/// State of the control routes.
#[derive(Clone)]
pub(in crate::sandbox) struct Control {
    pub(in crate::sandbox) world: World,
    pub(in crate::sandbox) ports: Ports,
    /// Merchant of the demo data.
    pub(in crate::sandbox) demo: Tenant,
    pub(in crate::sandbox) worker: Arc<Worker>,
}
