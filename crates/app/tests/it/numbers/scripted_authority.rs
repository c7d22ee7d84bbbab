//! A simulated authority with scripted decisions, which records every number.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

use async_trait::async_trait;
use domain::fiscal::{Acceptance, AnnulmentVerdict, Observation, ProblemCode, Verdict};
use ports::{Inquiry, RangeAuthority, SignedAnnulment, Submission, TaxAuthority};

/// State of a number at the authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Accepted,
    Spent,
    /// The number was refused, and may be used again.
    Unspent,
    Annulled,
}

/// Outcome of a document that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Accept,
    Refuse {
        code: ProblemCode,
        is_number_spent: bool,
    },
    /// The document never arrives, without an error.
    Lose,
}

type Decide = Box<dyn FnMut() -> Decision + Send>;

pub(crate) struct ScriptedAuthority {
    decide: Mutex<Decide>,
    numbers: Mutex<BTreeMap<String, Fate>>,
    /// Every number that was sent, in order.
    pub(crate) sent: Mutex<Vec<String>>,
}

impl ScriptedAuthority {
    pub(crate) fn new(decide: impl FnMut() -> Decision + Send + 'static) -> Self {
        Self { decide: Mutex::new(Box::new(decide)), numbers: Mutex::default(), sent: Mutex::default() }
    }

    /// An authority that makes these decisions in order, and accepts every document after them.
    pub(crate) fn with(decisions: impl IntoIterator<Item = Decision>) -> Self {
        let mut decisions: Vec<Decision> = decisions.into_iter().collect();
        decisions.reverse();
        Self::new(move || decisions.pop().unwrap_or(Decision::Accept))
    }

    pub(crate) fn fate(&self, number: &str) -> Option<Fate> {
        self.numbers().get(number).copied()
    }

    fn numbers(&self) -> MutexGuard<'_, BTreeMap<String, Fate>> {
        self.numbers.lock().unwrap()
    }
}

fn rejected(code: ProblemCode, is_number_spent: bool) -> Verdict {
    let messages = vec![Observation { code: "0".to_owned(), message: "Rechazado".to_owned() }];
    Verdict::Rejected { code, is_number_spent, authority_messages: messages }
}

#[async_trait]
impl TaxAuthority for ScriptedAuthority {
    async fn submit(&self, submission: Submission) -> Verdict {
        let number = submission.number.to_string();
        let mut numbers = self.numbers();
        let known = numbers.get(&number).copied();
        assert!(!matches!(known, Some(Fate::Accepted | Fate::Annulled)), "{number} is sent again: {known:?}");
        match known {
            Some(Fate::Spent) => return Verdict::Duplicate,
            _ => self.sent.lock().unwrap().push(number.clone()),
        }
        match (self.decide.lock().unwrap())() {
            Decision::Accept => {
                numbers.insert(number, Fate::Accepted);
                Verdict::Accepted(Acceptance::Accepted)
            }
            Decision::Refuse { code, is_number_spent } => {
                numbers.insert(number, if is_number_spent { Fate::Spent } else { Fate::Unspent });
                rejected(code, is_number_spent)
            }
            Decision::Lose => Verdict::Unknown,
        }
    }

    /// Searches by number alone, as DGII lists all documents of a number: a refusal of an earlier revision is found,
    /// too.
    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        match self.fate(inquiry.number.as_str()) {
            Some(Fate::Unspent) => rejected(ProblemCode::DocumentMalformed, false),
            Some(_) => panic!("only documents without a response are looked up"),
            None => Verdict::NotFound,
        }
    }
}

#[async_trait]
impl RangeAuthority for ScriptedAuthority {
    async fn annul(&self, sent: SignedAnnulment) -> AnnulmentVerdict {
        let xml = String::from_utf8(sent.xml).unwrap();
        let bound = |name: &str| {
            let text = xml.split(&format!("<{name}>")).nth(1).unwrap().split('<').next().unwrap().to_owned();
            (text[..3].to_owned(), text[3..].parse::<u64>().unwrap())
        };
        let ((kind, first), (_, last)) = (bound("SecuenciaeNCFDesde"), bound("SecuenciaeNCFHasta"));
        let mut numbers = self.numbers();
        for sequence in first..=last {
            let number = format!("{kind}{sequence:010}");
            match numbers.get(&number) {
                None | Some(Fate::Unspent) => numbers.insert(number, Fate::Annulled),
                Some(_) => return AnnulmentVerdict::Refused(Vec::new()),
            };
        }
        AnnulmentVerdict::Annulled(Vec::new())
    }
}
