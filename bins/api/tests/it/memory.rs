//! A process retains no card data after the response.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read, Seek, SeekFrom},
    process::Command,
    time::Duration,
};

use serde_json::json;

use crate::support::{Sandbox, Server};

/// Card number unknown to the simulators, and a security code with the field name.
const NUMBER: &str = "4539148803436467";
const CODE: &str = "7319";

/// Returns the writable memory of the process by region. `None` without root rights.
fn memory(server: &Server) -> Option<Vec<Vec<u8>>> {
    let opened = File::open(format!("/proc/{}/mem", server.pid()));
    if opened.as_ref().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied) {
        return None;
    }
    let mut file = opened.unwrap();
    let maps = fs::read_to_string(format!("/proc/{}/maps", server.pid())).unwrap();
    let writable = maps.lines().filter(|line| line.split_whitespace().nth(1).is_some_and(|it| it.starts_with("rw")));
    let regions = writable.filter_map(|line| {
        let (from, to) = line.split_whitespace().next()?.split_once('-')?;
        Some((u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?))
    });
    let read = regions.filter_map(|(from, to)| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from)).ok()?;
        file.by_ref().take(to - from).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    });
    Some(read.collect())
}

/// A loop over indices: without optimization, iterators take a minute for so many bytes.
fn count(regions: &[Vec<u8>], text: &str) -> usize {
    let (text, mut found) = (text.as_bytes(), 0);
    for region in regions {
        let mut at = 0;
        while at + text.len() <= region.len() {
            if region[at] == text[0] && region[at..at + text.len()] == *text {
                found += 1;
            }
            at += 1;
        }
    }
    found
}

#[tokio::test]
async fn no_number_and_no_code_stays_in_memory() {
    let sandbox = Sandbox::start().await;
    let client = sandbox.client();
    let created = client.create("remembered").await;
    let card = json!({ "card": {
        "number": NUMBER, "expirationMonth": 12, "expirationYear": 2035, "securityCode": CODE,
    } });
    let path = format!("{}/v1/payments/{}/card-submissions", sandbox.text("baseUrl"), created.payment);
    let http = reqwest::Client::builder().no_proxy().build().unwrap();

    for round in 0..3 {
        client.pay_with(&created, &card, &format!("pay-{round}")).await.unwrap();
        let bodies = [card.to_string(), card.to_string()[..60].to_owned(), format!("{card}garbage")];
        for (index, body) in bodies.into_iter().enumerate() {
            // Refused for the credential, for the card's format, and for the media type.
            let key = format!("bad-{round}-{index}");
            let request = http.post(&path).header("idempotency-key", key).header("content-type", "application/json");
            let token = if index == 0 { "ct_test_wrong" } else { &created.token };
            assert!(request.bearer_auth(token).body(body).send().await.unwrap().status().is_client_error());
        }
        let plain = http.post(&path).bearer_auth(&created.token).header("idempotency-key", format!("plain-{round}"));
        let plain = plain.header("content-type", "text/plain");
        assert_eq!(plain.body(card.to_string()).send().await.unwrap().status().as_u16(), 415);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;

    let user = Command::new("id").arg("-u").output().unwrap().stdout;
    let regions = memory(&sandbox.server);

    assert_eq!(regions.is_some(), user == b"0\n", "the process lets only root read its memory");
    if let Some(regions) = regions {
        assert!(count(&regions, &created.payment) > 0, "its memory is read");
        assert_eq!(count(&regions, NUMBER), 0, "the number");
        assert_eq!(count(&regions, &format!("\"securityCode\":\"{CODE}")), 0, "the security code");
    }
    let status = fs::read_to_string(format!("/proc/{}/limits", sandbox.server.pid())).unwrap();
    let core = status.lines().find(|it| it.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
}
