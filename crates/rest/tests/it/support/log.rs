use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use tracing::subscriber::{DefaultGuard, set_default};
use tracing_subscriber::fmt::{MakeWriter, fmt};

/// Everything that this thread logs from now on.
pub(crate) struct Log {
    text: Buffer,
    _guard: DefaultGuard,
}

impl Log {
    pub(crate) fn begin() -> Self {
        let text = Buffer::default();
        let subscriber = fmt().with_max_level(tracing::Level::TRACE).with_ansi(false).with_writer(text.clone());
        Self { text, _guard: set_default(subscriber.finish()) }
    }

    /// The same, an object of JSON a line.
    pub(crate) fn in_json() -> Self {
        let text = Buffer::default();
        let subscriber = fmt().with_max_level(tracing::Level::TRACE).with_writer(text.clone());
        let subscriber = subscriber.json().flatten_event(true).with_span_list(false);
        Self { text, _guard: set_default(subscriber.finish()) }
    }

    pub(crate) fn text(&self) -> String {
        let bytes = self.text.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Buffer {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
