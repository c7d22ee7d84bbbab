//! Log subscriber that collects lines with secrets, on any thread.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    sync::{Mutex, Once, PoisonError},
};

use tracing_subscriber::fmt::fmt;

/// Keys and cards are also found by their first symbols.
const SECRETS: [&str; 2] = ["422222", "Bearer "];

static WATCH: Mutex<Watch> = Mutex::new(Watch { secrets: BTreeSet::new(), leaks: Vec::new(), answers: 0 });

struct Watch {
    secrets: BTreeSet<String>,
    leaks: Vec<String>,
    answers: usize,
}

/// Adds secrets that no line may contain.
pub(super) fn guard(secrets: impl Iterator<Item = String>) {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        let subscriber = fmt().with_max_level(tracing::Level::DEBUG).with_ansi(false).with_writer(|| Reader).finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
    });
    watch(|it| it.secrets.extend(secrets));
}

/// Returns the lines with a secret.
pub(super) fn leaks() -> Vec<String> {
    watch(|it| it.leaks.clone())
}

/// Number of lines about completed requests, to prove that lines are read.
pub(super) fn answers() -> usize {
    watch(|it| it.answers)
}

fn watch<T>(use_it: impl FnOnce(&mut Watch) -> T) -> T {
    use_it(&mut WATCH.lock().unwrap_or_else(PoisonError::into_inner))
}

struct Reader;

impl Write for Reader {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(bytes);
        watch(|it| {
            it.answers += usize::from(line.contains("request completed"));
            let secrets = it.secrets.iter().map(String::as_str).chain(SECRETS);
            if secrets.into_iter().any(|it| line.contains(it)) && it.leaks.len() < 10 {
                it.leaks.push(line.into_owned());
            }
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
