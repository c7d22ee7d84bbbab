use super::*;

/// A transaction of about the size that AZUL's have.
fn row(name: &str) -> String {
    let rest = "x".repeat(400);
    format!(r#"{{"CustomOrderId":"{name}","Nested":{{"List":[1,{{}}]}},"Text":"}}]{{\\\"","Rest":"{rest}"}}"#)
}

fn is_ours(row: &Answer) -> bool {
    row.text("CustomOrderId").starts_with("ours")
}

/// What is read of `text` in chunks of that size: the names that are kept, or what it is else.
fn read(text: &[u8], chunk: usize) -> Result<Vec<String>, Body> {
    let mut listing = Listing::new(&is_ours);
    for chunk in text.chunks(chunk) {
        listing.take(chunk).map_err(|_| Body::Unreadable)?;
    }
    match listing.end() {
        Body::Said(answer) => {
            let rows = answer.list(ROWS).ok_or(Body::Said(answer))?;
            Ok(rows.iter().map(|it| it.text("CustomOrderId")).collect())
        }
        body => Err(body),
    }
}

#[test]
fn of_a_list_ours_are_kept_however_it_is_cut_into_chunks() {
    let rows = [row("ours-1"), row("theirs"), row("ours-2")].join(" ,\r\n");
    let text = format!("\u{feff}{{\"Other\":[1,[2]],\"Transactions\" : [ {rows} ],\"ResponseCode\":\"SEARCHED\"}}");

    for chunk in [1, 2, 7, 100, 100_000] {
        assert_eq!(read(text.as_bytes(), chunk), Ok(vec!["ours-1".to_owned(), "ours-2".to_owned()]), "{chunk}");
    }
}

#[test]
fn of_hundreds_of_thousands_nothing_stays_but_ours() {
    const ROWS: usize = 300_000;
    let mut listing = Listing::new(&is_ours);
    listing.take(br#"{"ResponseCode":"SEARCHED","Transactions":["#).unwrap();
    for n in 0..ROWS {
        let row = if n == ROWS / 2 { row("ours") } else { r#"{"CustomOrderId":"theirs"}"#.to_owned() };
        listing.take(row.as_bytes()).unwrap();
        if n + 1 < ROWS {
            listing.take(b",").unwrap();
        }
    }
    listing.take(b"]}").unwrap();

    assert!(listing.frame.len() < 100 && listing.row.capacity() < 2000, "what passed is in memory");
    let Body::Said(answer) = listing.end() else { panic!("it is whole") };
    assert_eq!(answer.text("ResponseCode"), "SEARCHED");
    assert_eq!(answer.list("Transactions").map(|it| it.len()), Some(1));
}

#[test]
fn a_list_that_is_cut_or_makes_no_sense_is_none() {
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
fn what_has_no_end_is_refused() {
    let endless = |begin: &str, more: &[u8]| {
        let mut listing = Listing::new(&is_ours);
        listing.take(begin.as_bytes()).unwrap();
        (0..1_000_000).find_map(|_| listing.take(more).err())
    };
    let many = format!("{},", row("ours"));
    let mut long = Listing { length: LONGEST, ..Listing::new(&is_ours) };

    assert_eq!(endless(r#"{"a":""#, &[b'x'; 1024]), Some(Unreadable), "around the list");
    assert_eq!(endless(r#"{"Transactions":[{"a":""#, &[b'x'; 1024]), Some(Unreadable), "a transaction");
    assert_eq!(endless(r#"{"Transactions":["#, many.as_bytes()), Some(Unreadable), "so many of ours");
    assert_eq!(long.take(b" "), Err(Unreadable), "the whole");
}

#[test]
fn what_is_no_list_is_told_as_it_is() {
    let said = |text: &[u8]| match read(text, 5) {
        Err(Body::Said(answer)) => answer.text("ResponseCode"),
        other => panic!("{other:?}"),
    };

    assert_eq!(read(b"<html>[{}]</html>", 5), Err(Body::Page));
    assert_eq!(read(br#"{"ResponseCode":"SEARCHED","Transactions":[]}"#, 5), Ok(Vec::new()));
    assert_eq!(said(br#"{"ResponseCode":"Error","Transactions":null}"#), "Error");
    assert_eq!(said(br#"{"Inner":{"Transactions":[{}]},"ResponseCode":"Error"}"#), "Error");
}
