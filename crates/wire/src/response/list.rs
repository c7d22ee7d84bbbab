use schemars::JsonSchema;
use serde::Serialize;

use super::value::ListObject;
use crate::query::MAX_CURSOR;

/// Page of a list.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}List")]
pub struct ListResponse<'a, T> {
    /// Type of the object.
    object: ListObject,
    /// Items of the page.
    data: Vec<T>,
    /// Whether more items follow. A page shorter than the limit may still be followed by more.
    has_more: bool,
    /// Cursor of the next page. The last page has one too: stop when `hasMore` is false.
    #[schemars(length(min = 1, max = MAX_CURSOR))]
    next_cursor: &'a str,
}

impl<'a, T> ListResponse<'a, T> {
    /// Returns a page. Items that are created later follow `next_cursor`.
    pub fn new(data: Vec<T>, has_more: bool, next_cursor: &'a str) -> Self {
        Self { object: ListObject, data, has_more, next_cursor }
    }
}
