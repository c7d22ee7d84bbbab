//! Assertions about HTML.

/// Returns the values of an attribute, in order.
pub(crate) fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Asserts that the page has no script and no other host, and that each anchor exists exactly once.
#[track_caller]
pub(crate) fn assert_self_contained(page: &str) {
    let names = values(page, "id");
    for name in &names {
        assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "the anchor {name} is not unique");
    }
    for link in values(page, "href") {
        match link.strip_prefix('#') {
            Some(name) => assert!(names.contains(&name), "{link} has no anchor"),
            None => assert!(link.starts_with("/docs") || link == "/openapi.json", "{link} leaves the documentation"),
        }
    }
    for word in ["<script", "<img", "<iframe", "<form", " src=", " style=", " onclick=", "@import", "url("] {
        assert!(!page.contains(word), "the page contains {word}");
    }
}
