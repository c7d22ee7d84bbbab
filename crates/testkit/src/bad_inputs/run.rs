use std::thread;

use super::{
    CaseFile, Placeholders, RawResponse, ServerUnderTest, TableContents,
    case_request::CaseRequest,
    checks::{check_response, value_at},
    data::{Case, Effects},
    socket::send_raw,
};

/// Cases of a group to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseSelection {
    /// All cases.
    All,
    /// Cases without effects, without changes of the server, and with known placeholders only.
    Harmless,
}

/// Sends every request of the group to a server that `start` returns, and returns the number of requests.
///
/// # Panics
///
/// If a response is unexpected or an unexpected row changed. The message lists all failures.
pub async fn run<G: ServerUnderTest>(file: &CaseFile, selection: CaseSelection, start: impl AsyncFn() -> G) -> usize {
    let effects = Effects::read();
    let (mut count, mut failures) = (0, Vec::new());
    let mut shared = start().await;
    for case in &file.cases {
        if selection == CaseSelection::Harmless && !is_harmless(case, shared.placeholders()) {
            continue;
        }
        count += case.requests.len();
        if case.needs_own_server {
            let mut own = start().await;
            run_case(&mut own, case, &effects, &mut failures).await;
            own.stop().await;
        } else {
            run_case(&mut shared, case, &effects, &mut failures).await;
        }
    }
    shared.stop().await;
    assert!(failures.is_empty(), "{}: {} of {count} failed\n{}", file.name, failures.len(), failures.join("\n"));
    count
}

fn is_harmless(case: &Case, placeholders: &Placeholders) -> bool {
    let knows = |it: &CaseRequest| it.placeholders().into_iter().all(|name| placeholders.contains_key(name));
    let changes = |it: &CaseRequest| it.effect != "nothing" || !it.changes_before.is_empty();
    !case.needs_own_server && case.requests.iter().all(|it| knows(it) && !changes(it))
}

async fn run_case(server: &mut impl ServerUnderTest, case: &Case, effects: &Effects, failures: &mut Vec<String>) {
    for (index, request) in case.requests.iter().enumerate() {
        if let Err(failure) = run_request(server, request, effects).await {
            let failure: String = failure.chars().take(900).collect();
            failures.push(format!("{}, request {}: {failure}", case.id, index + 1));
        }
    }
}

async fn run_request(
    server: &mut impl ServerUnderTest,
    request: &CaseRequest,
    effects: &Effects,
) -> Result<(), String> {
    for change in &request.changes_before {
        server.apply(change).await;
    }
    let before = server.stored().await;
    let (bytes, sent_values) = request.compose(server.placeholders());
    let responses = send_copies(server, &bytes, request.copies).await;

    for response in &responses {
        let parsed = check_response(request, response, &sent_values, server.placeholders())?;
        for (name, location) in &request.saved_values {
            let value = parsed.as_ref().map(|it| value_at(it, location)).unwrap_or_default();
            server.placeholders().insert(name.clone(), value);
        }
    }
    compare(&before, &server.stored().await, &request.effect, effects)?;
    for change in &request.changes_after {
        server.apply(change).await;
    }
    check_still_serves(server).await?;
    let leaks = server.leaked_log_lines();
    if leaks.is_empty() { Ok(()) } else { Err(format!("the log contains {leaks:?}")) }
}

/// Sends concurrent copies, and returns the responses.
async fn send_copies(server: &impl ServerUnderTest, bytes: &[u8], copies: usize) -> Vec<RawResponse> {
    let address = server.address();
    let bytes = bytes.to_vec();
    let sending = tokio::task::spawn_blocking(move || {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..copies).map(|_| scope.spawn(|| send_raw(address, &bytes))).collect();
            threads.into_iter().map(|it| it.join().expect("the server listens")).collect()
        })
    });
    sending.await.expect("the server listens")
}

/// Checks that only the rows of the effect were added; without an effect, that no row changed.
fn compare(before: &TableContents, after: &TableContents, effect: &str, effects: &Effects) -> Result<(), String> {
    for (table, (count, content)) in after {
        let (old_count, old_content) = &before[table];
        let growth = i64::try_from(*count).unwrap_or(i64::MAX) - i64::try_from(*old_count).unwrap_or(i64::MAX);
        let expected_growth = effects.growth(effect, table);
        if growth != expected_growth {
            return Err(format!("{table} grew by {growth} rows instead of {expected_growth}"));
        }
        if effect == "nothing" && content != old_content {
            return Err(format!("{table} was changed"));
        }
    }
    Ok(())
}

async fn check_still_serves(server: &mut impl ServerUnderTest) -> Result<(), String> {
    let placeholders = server.placeholders();
    let request = format!(
        "GET /v1/payments/{} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
        placeholders["P"], placeholders["HOST"], placeholders["KEY"]
    );
    let responses = send_copies(server, request.as_bytes(), 1).await;
    let text = String::from_utf8_lossy(&responses[0].bytes);
    if text.starts_with("HTTP/1.1 200 ") { Ok(()) } else { Err(format!("a valid request is not served: {text}")) }
}
