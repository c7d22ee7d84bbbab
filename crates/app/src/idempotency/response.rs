use chrono::{DateTime, Utc};
use domain::{RequestId, sale::Sale};

/// A result as rendered by an edge, for the first response and for replays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// HTTP status.
    pub status: u16,
    /// The strong entity tag, if the result has a version.
    pub etag: Option<String>,
    /// The exact bytes of the body.
    pub body: Vec<u8>,
}

/// Response to a command, fresh or replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status and body.
    pub rendered: Rendered,
    /// Request of the first response.
    pub request: RequestId,
    /// Whether the response is a replay.
    pub is_replay: bool,
}

/// How an edge shows a sale.
pub type RenderSale<'a> = &'a (dyn Fn(&Sale, DateTime<Utc>) -> Rendered + Send + Sync);
