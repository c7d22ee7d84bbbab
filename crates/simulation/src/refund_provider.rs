//! Voids and refunds at the provider, which loses calls and responses.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{
    Currency, Money,
    fiscal::local_date,
    refund::{AcquirerReference, RefundFailureCode, RefundFinding},
};
use ports::{ListedReturn, NotSubmitted, RefundLookup, RefundRequest, RefundResponse, ReturnMethod, ReturnsUnlisted};

use crate::{bug::Bug, node::Node, returns::Return, way::Way, world::World};

/// Look-ups show no refund for longer than the proof of its absence takes.
const TOO_LONG: u64 = 65 * 60 * 1000;

/// Refusals of a simulated acquirer.
const REFUSALS: [RefundFailureCode; 3] = [
    RefundFailureCode::DeclinedByProvider,
    RefundFailureCode::InsufficientMerchantFunds,
    RefundFailureCode::WindowElapsed,
];

impl World {
    /// Returns the moment of a time of the executor.
    pub(crate) fn moment(&self, millis: u64) -> DateTime<Utc> {
        self.start + TimeDelta::milliseconds(i64::try_from(millis).unwrap_or(i64::MAX))
    }
}

impl Return {
    fn named(&self) -> Option<AcquirerReference> {
        AcquirerReference::parse(&self.reference)
    }
}

impl Node {
    /// Fate of a void or a refund, which may arrive, or become visible, after its leg has ended.
    fn way_of_return(&self) -> Way {
        let world = &self.world;
        if !world.has_fault(|it| it.late) {
            return self.way();
        }
        let delay = TOO_LONG + u64::from(world.below(3_600_000));
        if world.below(2) == 0 { Way::Slow(delay) } else { Way::Done(delay) }
    }

    async fn send_return(&self, request: &RefundRequest) -> RefundResponse {
        let Self { world, process, .. } = self;
        let attempt = &request.attempt.attempt;
        world.leave(*process, "refund").await;
        let way = self.way_of_return();
        if way == Way::Down {
            let fault = if world.below(2) == 0 { NotSubmitted::Unavailable } else { NotSubmitted::Rejected };
            return RefundResponse::NotSubmitted(fault);
        }
        let finding = world.bank.lock().audit_return(request, &world.tables.lock());
        world.find(finding);
        let refusal = world.has_fault(|it| it.decline).then(|| world.chance.lock().one_of(&REFUSALS));
        if let Way::Slow(delay) = way {
            world.report(*process, || format!("sends {attempt}, which is under way for {delay}"));
            world.executor.pause(delay).await;
        }
        let delay = if let Way::Done(delay) = way { delay } else { 0 };
        let refused = match way {
            Way::Lost => None,
            _ => world.bank.lock().return_money(request, (world.executor.now(), delay), refusal),
        };
        let (method, amount) = (request.method, request.amount.minor_units());
        world.report(*process, || format!("sends {method:?} {attempt} of {amount}: {way:?}, {refused:?}"));
        world.leave(*process, "refunded").await;
        self.received_return(request, way, refused)
    }

    fn received_return(&self, request: &RefundRequest, way: Way, refused: Option<RefundFailureCode>) -> RefundResponse {
        let world = &self.world;
        let is_dropped = world.bug == Some(Bug::DropsLateApprovals) && matches!(way, Way::Slow(_));
        let is_clear = matches!(way, Way::Clear | Way::Slow(_)) && !is_dropped;
        match refused {
            _ if !is_clear => RefundResponse::Ambiguous,
            None => {
                let reference = AcquirerReference::parse(&format!("return-{}", request.attempt.attempt));
                RefundResponse::Approved { method: request.method, reference }
            }
            // The charge may have been voided by an earlier attempt of the leg.
            Some(RefundFailureCode::AlreadyReturned) if request.is_whole() => {
                let (bank, now) = (world.bank.lock(), world.executor.now());
                match bank.returns.void_of(&request.of.attempt, now) {
                    Some(void) => RefundResponse::Approved { method: ReturnMethod::Void, reference: void.named() },
                    None => RefundResponse::Refused(RefundFailureCode::AlreadyReturned),
                }
            }
            Some(code) => RefundResponse::Refused(code),
        }
    }

    /// Sends a void or a refund.
    pub(crate) async fn return_money(&self, request: RefundRequest) -> RefundResponse {
        let mut response = self.send_return(&request).await;
        if self.world.bug == Some(Bug::SendsRefundsAgain) && response == RefundResponse::Ambiguous {
            response = self.send_return(&request).await;
        }
        response
    }

    /// Looks a void or a refund up.
    pub(crate) async fn find_return(&self, request: RefundRequest) -> RefundLookup {
        let Self { world, process, .. } = self;
        world.leave(*process, "look_up_refund").await;
        if world.has_fault(|it| it.blind) {
            return RefundFinding::Unknown.into();
        }
        let found = self.found(&request);
        let attempt = &request.attempt.attempt;
        world.report(*process, || format!("looks {attempt} up: {:?}", found.finding));
        world.leave(*process, "looked_up").await;
        let is_missing = matches!(found.finding, RefundFinding::NotFound { .. } | RefundFinding::NotDone);
        if world.bug == Some(Bug::BelievesRefundsNotFound) && is_missing {
            return RefundFinding::Refused(RefundFailureCode::NotFoundAtProvider).into();
        }
        found
    }

    fn found(&self, request: &RefundRequest) -> RefundLookup {
        let world = &self.world;
        let (bank, now) = (world.bank.lock(), world.executor.now());
        let row = match request.method {
            ReturnMethod::Void => bank.returns.void_of(&request.of.attempt, now),
            ReturnMethod::Refund => {
                bank.returns.of_attempt(&request.attempt.attempt).filter(|row| row.visible_at <= now)
            }
        };
        let listed_until = Some(local_date(world.now()));
        match (row, request.method) {
            (Some(row), _) => match row.refusal {
                Some(code) => RefundFinding::Refused(code).into(),
                None => RefundLookup { finding: RefundFinding::Done { amount: row.amount }, reference: row.named() },
            },
            (None, ReturnMethod::Void) => RefundFinding::NotDone.into(),
            (None, ReturnMethod::Refund) => RefundFinding::NotFound { listed_until }.into(),
        }
    }

    /// Lists the voids and refunds of a day.
    pub(crate) async fn list_day(&self, day: NaiveDate) -> Result<Vec<ListedReturn>, ReturnsUnlisted> {
        let Self { world, process, .. } = self;
        world.leave(*process, "list_returns").await;
        if world.has_fault(|it| it.blind) {
            return Err(ReturnsUnlisted);
        }
        let listed: Vec<ListedReturn> = {
            let (bank, now) = (world.bank.lock(), world.executor.now());
            let of_day = bank.returns.listed(now).filter(|row| local_date(world.moment(row.at)) == day);
            let is_shown = |row: &&Return| world.bug != Some(Bug::DropsLateApprovals) || row.attempt.is_none();
            of_day.filter(is_shown).map(|row| self.listed(row)).collect()
        };
        world.report(*process, || format!("lists {} returns of {day}", listed.len()));
        world.leave(*process, "listed").await;
        Ok(listed)
    }

    /// Returns an entry of the list. A refund of ours has the name of its attempt, and a void that of the charge.
    fn listed(&self, row: &Return) -> ListedReturn {
        let attempt = match (row.method, &row.attempt) {
            (ReturnMethod::Refund, Some(attempt)) => attempt.as_str().to_owned(),
            (ReturnMethod::Refund, None) => String::new(),
            (ReturnMethod::Void, _) => row.charge.as_str().to_owned(),
        };
        let is_own_forgotten = self.world.bug == Some(Bug::CountsOwnRefunds);
        ListedReturn {
            method: row.method,
            attempt: if is_own_forgotten { String::new() } else { attempt },
            attempt_endings: Vec::new(),
            order: Some(format!("bank-{}", row.charge)),
            reference: if is_own_forgotten {
                AcquirerReference::parse(&format!("listed-{}", row.reference))
            } else {
                row.named()
            },
            amount: Some(Money::new(row.amount, Currency::Dop)),
        }
    }
}
