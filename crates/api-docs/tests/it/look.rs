//! What a page consists of.

/// The values of that attribute, in order.
pub(crate) fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Checks that a browser runs nothing, asks no other host, and finds each anchor of the page itself, once.
#[track_caller]
pub(crate) fn assert_self_contained(page: &str) {
    let names = values(page, "id");
    for name in &names {
        assert_eq!(names.iter().filter(|it| *it == name).count(), 1, "{name} is no anchor of its own");
    }
    for link in values(page, "href") {
        match link.strip_prefix('#') {
            Some(name) => assert!(names.contains(&name), "{link} leads nowhere"),
            None => assert!(link.starts_with("/docs") || link == "/openapi.json", "{link} leads elsewhere"),
        }
    }
    for word in ["<script", "<img", "<iframe", "<form", " src=", " style=", " onclick=", "@import", "url("] {
        assert!(!page.contains(word), "{word} has no place here");
    }
}
