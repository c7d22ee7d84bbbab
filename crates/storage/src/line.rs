//! Those who wait for numbers from the same ranges: one takes them for all.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::NaiveDate;
use domain::fiscal::{DocumentKind, Environment, Numbered, TaxId};
use ports::{NumberError, NumberRequest, Tenant};
use tokio::sync::oneshot;

/// So many get their numbers in one transaction, which must end in the time that a statement has.
const MOST: usize = 100;

/// Who waits in this process. A line is there while somebody takes numbers for it.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<Line>>>);

struct Line {
    of: Of,
    waiting: Vec<Waiting>,
}

/// What everybody in a line wants a number of.
#[derive(Clone, PartialEq, Eq)]
struct Of {
    tenant: Tenant,
    issuer: TaxId,
    environment: Environment,
    kind: DocumentKind,
    /// A range that has expired today had numbers yesterday.
    today: NaiveDate,
}

impl Of {
    fn request(it: &NumberRequest) -> Self {
        Self {
            tenant: it.tenant.clone(),
            issuer: it.issuer.clone(),
            environment: it.environment,
            kind: it.kind,
            today: it.today,
        }
    }
}

/// What somebody who waits is told.
pub(crate) type Told = Result<Numbered, NumberError>;

/// Somebody who waits.
pub(crate) struct Waiting {
    pub(crate) request: NumberRequest,
    pub(crate) answer: oneshot::Sender<Told>,
}

impl Lines {
    /// Lines up, and is told later. Who finds no line begins one, and has to see to it that numbers are taken for it.
    pub(crate) fn join(&self, request: NumberRequest) -> (oneshot::Receiver<Told>, Option<Taker>) {
        let (answer, told) = oneshot::channel();
        let of = Of::request(&request);
        let waiting = Waiting { request, answer };
        let mut lines = self.lock();
        if let Some(line) = lines.iter_mut().find(|it| it.of == of) {
            line.waiting.push(waiting);
            return (told, None);
        }
        lines.push(Line { of: of.clone(), waiting: vec![waiting] });
        (told, Some(Taker { lines: self.clone(), of, is_done: false }))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The only one who takes numbers for a line.
pub(crate) struct Taker {
    lines: Lines,
    of: Of,
    is_done: bool,
}

impl Taker {
    /// Who comes next, without those who gave up. Nobody if the line has ended; whoever comes then begins another.
    pub(crate) fn next(&mut self) -> Vec<Waiting> {
        let mut lines = self.lines.lock();
        let Some(place) = lines.iter().position(|it| it.of == self.of) else { return Vec::new() };
        let waiting = &mut lines[place].waiting;
        waiting.retain(|it| !it.answer.is_closed());
        let next: Vec<_> = waiting.drain(..waiting.len().min(MOST)).collect();
        if next.is_empty() {
            lines.swap_remove(place);
            self.is_done = true;
        }
        next
    }
}

impl Drop for Taker {
    /// Whoever waits for one that broke down learns that nothing comes.
    fn drop(&mut self) {
        if !self.is_done {
            self.lines.lock().retain(|it| it.of != self.of);
        }
    }
}
