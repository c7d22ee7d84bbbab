//! Documents that are built to occupy a verifier. The tests measure time because they test a time limit.

use std::time::{Duration, Instant};

use crate::support::{ANA, sign, verify};

const SIZE: usize = 1_900_000;

/// An ordinary document of [`SIZE`] bytes.
async fn ordinary() -> String {
    let line =
        "<Item><NumeroLinea>1</NumeroLinea><NombreItem>Mofongo</NombreItem><MontoItem>1180.00</MontoItem></Item>";
    let document = format!("<ECF>{}</ECF>", line.repeat(SIZE / line.len()));
    sign(&ANA, &document).await.xml.replacen("<ECF>", "<ECF><!-- a -->", 1)
}

/// Appends another document's signature to a hostile document, which then passes every check of form.
async fn with_signature(content: &str) -> String {
    let signed = sign(&ANA, "<ECF>1</ECF>").await.xml;
    let signature = &signed[signed.find("<Signature").unwrap()..signed.rfind("</ECF>").unwrap()];
    format!("<ECF>{content}{signature}</ECF>")
}

fn nested(levels: usize, declarations: usize, inner: &str) -> String {
    let declare =
        |level| (0..declarations).map(move |n| format!(" xmlns:n{level}_{n}=\"urn:{n}\"")).collect::<String>();
    let begin: String = (0..levels).map(|level| format!("<e{}>", declare(level))).collect();
    format!("{begin}{inner}{}", "</e>".repeat(levels))
}

/// The shortest duration of three runs.
async fn time_of(document: &str) -> Duration {
    let mut shortest = Duration::MAX;
    for _ in 0..3 {
        let begun = Instant::now();
        let _verdict = verify(document).await;
        shortest = shortest.min(begun.elapsed());
    }
    shortest
}

#[tokio::test]
async fn a_hostile_document_costs_at_most_three_times_an_ordinary_one_of_its_size() {
    let ordinary = ordinary().await;
    assert!(verify(&ordinary).await.is_ok());
    let at_most = time_of(&ordinary).await * 3;

    for (name, content) in [
        ("many namespaces", nested(12, 31, &"<a/>".repeat(SIZE / 4))),
        ("few namespaces", nested(1, 30, &"<a/>".repeat(SIZE / 8))),
        ("deep", nested(60, 0, &"<a/>".repeat(SIZE / 8))),
        ("attributes", "<a b='' c=''/>".repeat(SIZE / 14)),
        ("comments", "<!---->".repeat(SIZE / 8)),
        ("instructions", "<?a b?>".repeat(SIZE / 8)),
        ("sections", "<![CDATA[a]]>".repeat(SIZE / 13)),
        ("references", "&#65;".repeat(SIZE / 5)),
        ("unclosed", "<a>".repeat(SIZE / 3)),
        ("quotes", format!("<a b='{}", "x".repeat(SIZE))),
    ] {
        let document = with_signature(&content).await;

        let taken = time_of(&document).await;

        assert!(taken <= at_most, "{name}: {taken:?}, at most {at_most:?}");
    }
}

/// Exclusive canonicalization would repeat the namespace at every element: 150 GB.
#[tokio::test]
async fn a_long_namespace_of_many_elements_is_refused_before_canonicalization() {
    let exclusive = "<Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/></Transforms>";
    let namespace = "n".repeat(SIZE / 2);
    let content = format!("<e xmlns:n='{namespace}'>{}</e>", "<n:a/>".repeat(SIZE / 12));
    let document = with_signature(&content).await.replace("</Transforms>", exclusive);

    let refused = verify(&document).await.map(drop).map_err(|it| it.reason);

    assert_eq!(refused, Err("the document has too many namespaces"));
}
