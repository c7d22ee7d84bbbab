use std::{future::Future, panic::AssertUnwindSafe, pin::pin};

use app::{Error, deliver_due};
use futures_util::FutureExt;
use tokio::time::sleep;

use crate::{
    Worker,
    pace::{Next, Pace},
};

/// So many mails at once; a mail server may take its time for each.
const TOGETHER: u16 = 10;

impl Worker {
    /// Sends documents by e-mail, as soon as they may be, until `stop`. A mail server that does not answer keeps nothing
    /// else waiting.
    pub(crate) async fn send_mail(&self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut pace = Pace::default();
        loop {
            let pause = match AssertUnwindSafe(self.round_of_mail()).catch_unwind().await {
                Ok(Ok(next)) => pace.after_work(next),
                Ok(Err(error)) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "mail could not be looked after");
                    pace.after_failure()
                }
                // The mail in hand is known to have begun, and is looked at again.
                Err(_) => pace.after_failure(),
            };
            tokio::select! {
                biased;
                () = &mut stop => return,
                () = sleep(pause) => {}
            }
        }
    }

    async fn round_of_mail(&self) -> Result<Next, Error> {
        let _turn = self.turn.read().await;
        if self.mail_in_turn().await? == usize::from(TOGETHER) {
            return Ok(Next::AtOnce);
        }
        let next_due = self.ports.deliveries.next_due().await?;
        Ok(next_due.map_or(Next::Idle, |due| Next::In(due.signed_duration_since(self.ports.clock.now()))))
    }

    /// What is due of mail, as much as is sent at once. Says how much it was.
    pub(crate) async fn mail_in_turn(&self) -> Result<usize, Error> {
        match &self.post {
            Some(post) => deliver_due(&self.ports, post, TOGETHER).await,
            None => Ok(0),
        }
    }
}
