//! Bodies derived from another body by one change.

use serde_json::Value;

/// Placeholder of a value that `Value` cannot represent.
const PLACEHOLDER: &str = "<the value>";

/// Sets the raw JSON `value` at the dotted `path` of `body`.
///
/// # Panics
///
/// If `body` is not JSON, or has no place for the value.
#[track_caller]
pub fn with(body: &str, path: &str, value: &str) -> String {
    let mut tree: Value = serde_json::from_str(body).expect("the body is JSON");
    let mut place = &mut tree;
    for segment in path.split('.') {
        place = match segment.parse::<usize>() {
            Ok(index) if place.is_array() => &mut place[index],
            _ => &mut place[segment],
        };
    }
    *place = PLACEHOLDER.into();
    tree.to_string().replace(&format!("\"{PLACEHOLDER}\""), value)
}

/// Removes the field at the dotted `path` from `body`.
///
/// # Panics
///
/// If `body` is not JSON, or lacks the field.
#[track_caller]
pub fn without(body: &str, path: &str) -> String {
    let mut tree: Value = serde_json::from_str(body).expect("the body is JSON");
    let pointer = format!("/{}", path.replace('.', "/"));
    let (parent, field) = pointer.rsplit_once('/').expect("it begins with one");
    let object = tree.pointer_mut(parent).and_then(Value::as_object_mut).expect("the field stands in an object");
    object.remove(field).expect("the field is there");
    tree.to_string()
}
