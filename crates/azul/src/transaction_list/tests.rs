use super::*;

/// A transaction of typical size.
fn row(name: &str) -> String {
    let rest = "x".repeat(400);
    format!(r#"{{"CustomOrderId":"{name}","Nested":{{"List":[1,{{}}]}},"Text":"}}]{{\\\"","Rest":"{rest}"}}"#)
}

fn is_ours(row: &AzulResponse) -> bool {
    row.text("CustomOrderId").starts_with("ours")
}

/// Returns the ids of the retained rows of `text`, pushed in chunks; or the body if it is not a list.
fn read(text: &[u8], chunk: usize) -> Result<Vec<String>, Body> {
    let mut listing = TransactionList::new(&is_ours);
    for chunk in text.chunks(chunk) {
        listing.push(chunk).map_err(|_| Body::Unreadable)?;
    }
    match listing.finish() {
        Body::Fields(response) => {
            let rows = response.list(ROWS).ok_or(Body::Fields(response))?;
            Ok(rows.iter().map(|it| it.text("CustomOrderId")).collect())
        }
        body => Err(body),
    }
}

#[test]
fn our_rows_are_retained_for_any_size_of_chunks() {
    let rows = [row("ours-1"), row("theirs"), row("ours-2")].join(" ,\r\n");
    let text = format!("\u{feff}{{\"Other\":[1,[2]],\"Transactions\" : [ {rows} ],\"ResponseCode\":\"SEARCHED\"}}");

    for chunk in [1, 2, 7, 100, 100_000] {
        assert_eq!(read(text.as_bytes(), chunk), Ok(vec!["ours-1".to_owned(), "ours-2".to_owned()]), "{chunk}");
    }
}

#[test]
fn other_rows_take_no_memory() {
    const ROWS: usize = 300_000;
    let mut listing = TransactionList::new(&is_ours);
    listing.push(br#"{"ResponseCode":"SEARCHED","Transactions":["#).unwrap();
    for n in 0..ROWS {
        let row = if n == ROWS / 2 { row("ours") } else { r#"{"CustomOrderId":"theirs"}"#.to_owned() };
        listing.push(row.as_bytes()).unwrap();
        if n + 1 < ROWS {
            listing.push(b",").unwrap();
        }
    }
    listing.push(b"]}").unwrap();

    assert!(listing.frame.len() < 100 && listing.row.capacity() < 2000, "other rows are in memory");
    let Body::Fields(response) = listing.finish() else { panic!("it is complete") };
    assert_eq!(response.text("ResponseCode"), "SEARCHED");
    assert_eq!(response.list("Transactions").map(|it| it.len()), Some(1));
}

#[test]
fn a_truncated_or_invalid_list_is_refused() {
    let whole = format!(r#"{{"ResponseCode":"SEARCHED","Transactions":[{},{}]}}"#, row("ours"), row("theirs"));
    for end in 0..whole.len() {
        assert_eq!(read(&whole.as_bytes()[..end], 64), Err(Body::Unreadable), "{end}");
    }
    for text in [
        r#"{"Transactions":[{}{}]}"#,
        r#"{"Transactions":[{},]}"#,
        r#"{"Transactions":[,{}]}"#,
        r#"{"Transactions":[1]}"#,
        r#"{"Transactions":[{"a":}]}"#,
        r#"{"Transactions":[{]]}"#,
        r#"{"Transactions":[]}]"#,
        r#"[{"Transactions":[]}]"#,
        "",
    ] {
        assert_eq!(read(text.as_bytes(), 64), Err(Body::Unreadable), "{text}");
    }
}

#[test]
fn a_list_without_an_end_is_refused() {
    let endless = |begin: &str, more: &[u8]| {
        let mut listing = TransactionList::new(&is_ours);
        listing.push(begin.as_bytes()).unwrap();
        (0..1_000_000).find_map(|_| listing.push(more).err())
    };
    let many = format!("{},", row("ours"));
    let mut long = TransactionList { length: MAX_LENGTH, ..TransactionList::new(&is_ours) };

    assert_eq!(endless(r#"{"a":""#, &[b'x'; 1024]), Some(InvalidList), "around the list");
    assert_eq!(endless(r#"{"Transactions":[{"a":""#, &[b'x'; 1024]), Some(InvalidList), "a transaction");
    assert_eq!(endless(r#"{"Transactions":["#, many.as_bytes()), Some(InvalidList), "so many of ours");
    assert_eq!(long.push(b" "), Err(InvalidList), "the whole");
}

#[test]
fn a_response_without_a_list_is_returned() {
    let code = |text: &[u8]| match read(text, 5) {
        Err(Body::Fields(response)) => response.text("ResponseCode"),
        other => panic!("{other:?}"),
    };

    assert_eq!(read(b"<html>[{}]</html>", 5), Err(Body::Page));
    assert_eq!(read(br#"{"ResponseCode":"SEARCHED","Transactions":[]}"#, 5), Ok(Vec::new()));
    assert_eq!(code(br#"{"ResponseCode":"Error","Transactions":null}"#), "Error");
    assert_eq!(code(br#"{"Inner":{"Transactions":[{}]},"ResponseCode":"Error"}"#), "Error");
}
