use serde::Serialize;

/// One part of a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListResponse<'a, T> {
    object: &'static str,
    data: Vec<T>,
    has_more: bool,
    next_cursor: &'a str,
}

impl<'a, T> ListResponse<'a, T> {
    /// The part with `data` on it. There is a next one even after the last: what is added later will be there.
    pub fn new(data: Vec<T>, has_more: bool, next_cursor: &'a str) -> Self {
        Self { object: "list", data, has_more, next_cursor }
    }
}
