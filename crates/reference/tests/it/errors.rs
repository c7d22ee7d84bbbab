use reference::ErrorRow;

use crate::look::{assert_self_contained, values};

#[test]
fn a_code_is_its_own_anchor_under_its_status() {
    let row = |code, status| ErrorRow { code, status, kind: "invalid_request", meaning: "It is < that." };
    let page = reference::errors(&[row("late", 409), row("early", 400), row("later", 409), row("early", 422)]).unwrap();

    let anchors = values(&page, "id");

    assert_eq!(anchors, ["content", "status-400", "early", "status-409", "late", "later", "status-422"]);
    assert!(page.contains("It is &#60; that."), "{page}");
    assert_self_contained(&page);
}
