//! A response from one task to another.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use parking_lot::Mutex;

use crate::executor::{Executor, Pause};

/// Slot for one response. Clones share the slot.
pub(crate) struct Reply<T>(Arc<Mutex<(Option<T>, Option<Waker>)>>);

impl<T> Clone for Reply<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Reply<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new((None, None))))
    }

    /// Stores the response and wakes the reader.
    pub(crate) fn write(&self, answer: T) {
        let waker = {
            let mut place = self.0.lock();
            place.0 = Some(answer);
            place.1.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }

    /// Returns the response; `None` after the timeout in milliseconds.
    pub(crate) fn read(self, executor: &Executor, patience: u64) -> Reading<T> {
        Reading { reply: self, pause: executor.pause(patience) }
    }
}

pub(crate) struct Reading<T> {
    reply: Reply<T>,
    pause: Pause,
}

impl<T> Future for Reading<T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        {
            let mut place = self.reply.0.lock();
            if let Some(answer) = place.0.take() {
                return Poll::Ready(Some(answer));
            }
            place.1 = Some(context.waker().clone());
        }
        Pin::new(&mut self.pause).poll(context).map(|()| None)
    }
}
