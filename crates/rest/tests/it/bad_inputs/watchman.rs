//! Reads along whatever this program logs, on any thread, and keeps the lines that hold a secret.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    sync::{Mutex, Once, PoisonError},
};

use tracing_subscriber::fmt::fmt;

/// Every key and every card is found by its beginning, too.
const SECRETS: [&str; 2] = ["422222", "Bearer "];

static WATCH: Mutex<Watch> = Mutex::new(Watch { secrets: BTreeSet::new(), leaks: Vec::new(), answers: 0 });

struct Watch {
    secrets: BTreeSet<String>,
    leaks: Vec<String>,
    answers: usize,
}

/// From now on no line may hold any of `secrets`.
pub(super) fn guard(secrets: impl Iterator<Item = String>) {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        let subscriber = fmt().with_max_level(tracing::Level::DEBUG).with_ansi(false).with_writer(|| Reader).finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
    });
    watch(|it| it.secrets.extend(secrets));
}

/// The lines that held one.
pub(super) fn leaks() -> Vec<String> {
    watch(|it| it.leaks.clone())
}

/// How many lines told that a request was answered: whoever reads none finds nothing.
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
