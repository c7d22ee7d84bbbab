//! Captured logs.

use std::{
    io::{self, Write},
    sync::Arc,
};

use parking_lot::Mutex;

/// Captures log output; clones share the buffer.
#[derive(Clone, Debug, Default)]
pub struct CapturedLog(Arc<Mutex<Vec<u8>>>);

impl CapturedLog {
    /// Returns the output until now.
    pub fn text(&self) -> String {
        let bytes = self.0.lock().clone();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for CapturedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
