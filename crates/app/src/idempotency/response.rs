use chrono::{DateTime, Utc};
use domain::{RequestId, sale::Sale};

/// What an edge makes of a result, to be given now and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// HTTP status.
    pub status: u16,
    /// The strong entity tag, if the result has a version.
    pub etag: Option<String>,
    /// The exact bytes of the body.
    pub body: Vec<u8>,
}

/// An answer to a command, fresh or given again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// What is said.
    pub rendered: Rendered,
    /// The exchange that was first answered so.
    pub request: RequestId,
    /// Whether it was said before.
    pub is_replay: bool,
}

/// How an edge shows a sale.
pub type RenderSale<'a> = &'a (dyn Fn(&Sale, DateTime<Utc>) -> Rendered + Send + Sync);
