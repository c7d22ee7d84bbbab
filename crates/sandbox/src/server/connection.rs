//! A connection that can be cut after any byte of a response.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// End of the head of a response.
const END_OF_HEAD: &[u8; 4] = b"\r\n\r\n";

/// Number of bytes of the head and of the body that may still pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    head: usize,
    /// Matched bytes of [`END_OF_HEAD`]; all of them once the head has passed.
    matched: usize,
    body: usize,
}

impl Allowance {
    pub(super) const fn new(head: usize, body: usize) -> Self {
        Self { head, matched: 0, body }
    }

    /// Passes as many of `bytes` as are allowed, and returns their number.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        bytes.iter().take_while(|byte| self.pass_byte(**byte)).count()
    }

    fn pass_byte(&mut self, byte: u8) -> bool {
        let is_body = self.matched == END_OF_HEAD.len();
        let left = if is_body { &mut self.body } else { &mut self.head };
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        if !is_body {
            self.matched = match END_OF_HEAD.get(self.matched) {
                Some(expected) if *expected == byte => self.matched.saturating_add(1),
                _ => usize::from(byte == b'\r'),
            };
        }
        true
    }

    const fn is_used_up(&self) -> bool {
        self.head == 0 || (self.matched == END_OF_HEAD.len() && self.body == 0)
    }
}

/// Handle that cuts its connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Scissors(Arc<Mutex<Option<Allowance>>>);

impl Scissors {
    /// Limits the bytes that may still pass, and ends the connection after them.
    pub(super) fn cut_after(&self, allowance: Allowance) {
        *self.0.lock() = Some(allowance);
    }

    fn have_cut(&self) -> bool {
        self.0.lock().as_ref().is_some_and(Allowance::is_used_up)
    }
}

/// A connection that its handle can cut.
pub(super) struct Connection<S> {
    pub(super) stream: S,
    pub(super) scissors: Scissors,
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.scissors.have_cut() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let scissors = self.scissors.clone();
        let Some(mut allowance) = *scissors.0.lock() else {
            return Pin::new(&mut self.stream).poll_write(context, bytes);
        };
        let mut after = allowance;
        let allowed = bytes.get(..after.pass(bytes)).unwrap_or_default();
        if allowed.is_empty() {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, allowed))?;
        allowance.pass(allowed.get(..written).unwrap_or_default());
        scissors.cut_after(allowance);
        if allowance.is_used_up() {
            // Reading ends, too.
            context.waker().wake_by_ref();
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// A cut connection ends without a shutdown message, also of TLS.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.scissors.have_cut() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
