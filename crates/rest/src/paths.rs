//! Paths with a special meaning.

/// Prefix of every operation of the API.
pub(crate) const API: &str = "/v1/";
/// Liveness for a load balancer.
pub(crate) const HEALTH: &str = "/healthz";
/// Readiness for a load balancer.
pub(crate) const READINESS: &str = "/readyz";
/// Metrics in Prometheus's text format.
pub(crate) const METRICS: &str = "/metrics";

/// Prefixes of the interchange with other taxpayers, one for each environment of DGII.
const INTERCHANGE: [&str; 3] = ["/testecf/", "/certecf/", "/ecf/"];

/// Whether the path belongs to the interchange with other taxpayers.
pub(crate) fn is_interchange(path: &str) -> bool {
    INTERCHANGE.iter().any(|prefix| path.starts_with(prefix))
}

/// Whether the path serves the process's operators.
pub(crate) fn is_for_operators(path: &str) -> bool {
    [HEALTH, READINESS, METRICS].contains(&path)
}
