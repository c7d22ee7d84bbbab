use std::{future::pending, pin::Pin};

/// An operation that may be running. Waiting for its end can be canceled and repeated.
pub(crate) struct Running<'a, T>(Option<Pin<Box<dyn Future<Output = T> + Send + 'a>>>);

impl<'a, T> Running<'a, T> {
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    pub(crate) const fn is_none(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn start(&mut self, operation: impl Future<Output = T> + Send + 'a) {
        self.0 = Some(Box::pin(operation));
    }

    /// Returns the result; never, if no operation is running.
    pub(crate) async fn end(&mut self) -> T {
        let Some(operation) = &mut self.0 else { return pending().await };
        let result = operation.await;
        self.0 = None;
        result
    }
}
