use std::thread;

use super::{
    CaseFile, Placeholders, RawResponse, ServerUnderTest, TableContents,
    data::{Case, Effects},
    exchange::Exchange,
    socket::send_raw,
    standing::{found, judge},
};

/// CaseSelection cases of a group are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseSelection {
    /// All of them.
    All,
    /// Those that change nothing, want nothing to happen, and speak only of names that there are.
    Harmless,
}

/// Sends every request of the group to a server that `begin` starts, and returns how many there were.
///
/// # Panics
///
/// An answer is not what is due, or something changed that should not. All of them are told at the end.
pub async fn run<G: ServerUnderTest>(file: &CaseFile, which: CaseSelection, begin: impl AsyncFn() -> G) -> usize {
    let effects = Effects::read();
    let (mut count, mut faults) = (0, Vec::new());
    let mut shared = begin().await;
    for case in &file.cases {
        if which == CaseSelection::Harmless && !is_harmless(case, shared.placeholders()) {
            continue;
        }
        count += case.tries.len();
        if case.is_alone {
            let mut own = begin().await;
            attempt(&mut own, case, &effects, &mut faults).await;
            own.stop().await;
        } else {
            attempt(&mut shared, case, &effects, &mut faults).await;
        }
    }
    shared.stop().await;
    assert!(faults.is_empty(), "{}: {} of {count} failed\n{}", file.name, faults.len(), faults.join("\n"));
    count
}

fn is_harmless(case: &Case, names: &Placeholders) -> bool {
    let knows = |it: &Exchange| it.names().into_iter().all(|name| names.contains_key(name));
    let changes = |it: &Exchange| it.effect != "nothing" || !it.first.is_empty();
    !case.is_alone && case.tries.iter().all(|it| knows(it) && !changes(it))
}

async fn attempt(ground: &mut impl ServerUnderTest, case: &Case, effects: &Effects, faults: &mut Vec<String>) {
    for (index, exchange) in case.tries.iter().enumerate() {
        if let Err(fault) = one(ground, exchange, effects).await {
            let fault: String = fault.chars().take(900).collect();
            faults.push(format!("{}, try {}: {fault}", case.id, index + 1));
        }
    }
}

async fn one(ground: &mut impl ServerUnderTest, exchange: &Exchange, effects: &Effects) -> Result<(), String> {
    for what in &exchange.first {
        ground.apply(what).await;
    }
    let before = ground.stored().await;
    let (bytes, texts) = exchange.request(ground.placeholders());
    let all = sent(ground, &bytes, exchange.copies).await;

    for said in &all {
        let answer = judge(exchange, said, &texts, ground.placeholders())?;
        for (name, place) in &exchange.keep {
            let value = answer.as_ref().map(|it| found(it, place)).unwrap_or_default();
            ground.placeholders().insert(name.clone(), value);
        }
    }
    compare(&before, &ground.stored().await, &exchange.effect, effects)?;
    for what in &exchange.then {
        ground.apply(what).await;
    }
    still_serves(ground).await?;
    let leaks = ground.leaked_log_lines();
    if leaks.is_empty() { Ok(()) } else { Err(format!("the log holds {leaks:?}")) }
}

/// What is said to so many at once.
async fn sent(ground: &impl ServerUnderTest, bytes: &[u8], copies: usize) -> Vec<RawResponse> {
    let address = ground.address();
    let bytes = bytes.to_vec();
    let sending = tokio::task::spawn_blocking(move || {
        thread::scope(|scope| {
            let all: Vec<_> = (0..copies).map(|_| scope.spawn(|| send_raw(address, &bytes))).collect();
            all.into_iter().map(|it| it.join().expect("the server listens")).collect()
        })
    });
    sending.await.expect("the server listens")
}

/// Nothing but the rows of the effect came in; without one, nothing at all was changed.
fn compare(before: &TableContents, after: &TableContents, effect: &str, effects: &Effects) -> Result<(), String> {
    for (table, (count, content)) in after {
        let (old_count, old_content) = &before[table];
        let growth = i64::try_from(*count).unwrap_or(i64::MAX) - i64::try_from(*old_count).unwrap_or(i64::MAX);
        let due = effects.growth(effect, table);
        if growth != due {
            return Err(format!("{table} grew by {growth} and not by {due}"));
        }
        if effect == "nothing" && content != old_content {
            return Err(format!("{table} was changed"));
        }
    }
    Ok(())
}

async fn still_serves(ground: &mut impl ServerUnderTest) -> Result<(), String> {
    let names = ground.placeholders();
    let request = format!(
        "GET /v1/payments/{} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
        names["P"], names["HOST"], names["KEY"]
    );
    let said = sent(ground, request.as_bytes(), 1).await;
    let text = String::from_utf8_lossy(&said[0].bytes);
    if text.starts_with("HTTP/1.1 200 ") { Ok(()) } else { Err(format!("a good request is not served: {text}")) }
}
