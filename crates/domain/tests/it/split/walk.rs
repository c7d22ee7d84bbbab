//! Every interleaving of everything that can happen to two and to three parts.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::LazyLock,
};

use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::{
    AttemptId, Event,
    payment::{AuthReturn, Challenge, DeclineCode, PaymentStatus},
    sale::Sale,
    split::{
        AuthorizationOutcome, Call, CaptureOutcome, HoldFinding, PartStage, PartState, PartStatus, ReleaseOutcome,
        SplitStatus, check,
    },
};

use super::{challenged, held, kinds, part, part_states, renewal, shared_by, split};
use crate::support::{attempt, card, noon};

/// A sale at a time, and how many attempts were named so far.
#[derive(Clone)]
struct Node {
    sale: Sale,
    now: DateTime<Utc>,
    named: u32,
}

/// State without times and identifiers. The order of the payers does not matter, so the parts are sorted by state.
type Key = (Vec<String>, bool, i64, bool, u8);

type Moves = BTreeSet<(&'static str, &'static str)>;

/// A card submitted in this time is still in flight when the window ends.
const LAST: TimeDelta = TimeDelta::seconds(60);

fn key(node: &Node) -> Key {
    let state = split(&node.sale).state();
    let mut parts: Vec<String> = state
        .parts
        .iter()
        .map(|it| {
            let detail = match it.stage() {
                PartStage::Processing { submission, challenge } => {
                    format!("{} {}", submission.before.is_some(), challenge.is_some())
                }
                PartStage::Capturing { call, .. } => format!("{}", matches!(call, Call::Open { .. })),
                PartStage::Releasing { call, cause, .. } => {
                    format!("{} {}", matches!(call, Call::Open { .. }), cause.as_str())
                }
                PartStage::Verifying(cobro_domain::split::PartDoubt::Release(_, cause, _)) => cause.as_str().to_owned(),
                PartStage::Declined { decline, .. } => decline.can_try_again.to_string(),
                _ => String::new(),
            };
            format!("{:?} {detail}", it.part_state())
        })
        .collect();
    parts.sort();
    let left = state.expires_at - node.now;
    // Before the last minute of the window, within, or after.
    let time = if left > LAST { 2 } else { i64::from(left > TimeDelta::zero()) };
    (parts, state.is_window_over, time, state.is_extended, state.renewals)
}

/// Collects the successors of a node; refused commands have none.
struct Next<'a> {
    from: &'a Node,
    found: Vec<(Node, Vec<Event>)>,
}

impl Next<'_> {
    fn change<E>(&mut self, later: TimeDelta, change: impl FnOnce(&mut Node) -> Result<Vec<Event>, E>) {
        let mut next = Node { now: self.from.now + later, ..self.from.clone() };
        if let Ok(events) = change(&mut next) {
            self.found.push((next, events));
        }
    }

    fn at_once<E>(&mut self, change: impl FnOnce(&mut Node) -> Result<Vec<Event>, E>) {
        self.change(TimeDelta::zero(), change);
    }

    fn authorization(&mut self, attempt: &AttemptId) {
        let refused = AuthorizationOutcome::Declined;
        for answer in [
            held(self.from.now),
            refused(DeclineCode::DoNotHonor),
            refused(DeclineCode::SuspectedFraud),
            challenged(),
            AuthorizationOutcome::Ambiguous,
            AuthorizationOutcome::NotSubmitted,
        ] {
            self.at_once(|it| it.sale.apply_authorization(attempt, answer, it.now));
        }
        self.at_once(|it| it.sale.challenge_returned(attempt, AuthReturn::ChallengeDone, it.now).ok_or(()));
    }

    /// Applies a look-up of an abandoned challenge.
    fn abandoned(&mut self, ordinal: u8) {
        let still = HoldFinding::Held { valid_until: self.from.now + TimeDelta::days(7) };
        let refused = HoldFinding::Declined(DeclineCode::DoNotHonor);
        let unclear = [HoldFinding::NotFound, HoldFinding::Unknown];
        for finding in [still, refused, HoldFinding::Unfinished, HoldFinding::Gone].into_iter().chain(unclear) {
            self.change(Challenge::LIFE, |it| it.sale.apply_part_finding(ordinal, finding, it.now));
        }
    }

    fn capture(&mut self, attempt: &AttemptId) {
        use CaptureOutcome as A;
        for answer in [A::Captured, A::Refused, A::HoldGone, A::Ambiguous, A::NotSubmitted] {
            self.at_once(|it| it.sale.apply_capture(attempt, answer, it.now));
        }
    }

    fn release(&mut self, attempt: &AttemptId) {
        use ReleaseOutcome as A;
        for answer in [A::Released, A::HoldGone, A::AlreadyCaptured, A::Refused, A::Ambiguous, A::NotSubmitted] {
            self.at_once(|it| it.sale.apply_release(attempt, answer, it.now));
        }
    }

    fn look_up(&mut self, ordinal: u8) {
        let still = HoldFinding::Held { valid_until: self.from.now + TimeDelta::days(7) };
        let refused = HoldFinding::Declined(DeclineCode::DoNotHonor);
        for finding in
            [still, HoldFinding::Captured, HoldFinding::Gone, refused, HoldFinding::NotFound, HoldFinding::Unknown]
        {
            self.at_once(|it| it.sale.apply_part_finding(ordinal, finding, it.now));
        }
        // A missing transaction is believed after ten minutes and several look-ups.
        for finding in [still, HoldFinding::NotFound] {
            self.change(TimeDelta::minutes(10), |it| {
                let mut events = Vec::new();
                for _ in 0..3 {
                    events.extend(it.sale.apply_part_finding(ordinal, finding, it.now).map_err(drop)?);
                    if part(&it.sale, ordinal).status() != PartStatus::Verifying {
                        return Ok(events);
                    }
                }
                Err(())
            });
        }
    }

    fn of_part(&mut self, ordinal: u8) {
        let from = part(&self.from.sale, ordinal);
        if let Some(attempt) = from.stage().attempt() {
            match from.part_state() {
                PartState::Processing | PartState::VerifyingAuthorization => self.authorization(attempt),
                PartState::Capturing | PartState::VerifyingCapture => self.capture(attempt),
                _ => self.release(attempt),
            }
        }
        if from.status() == PartStatus::Verifying {
            self.look_up(ordinal);
        }
        if from.challenge().is_some() {
            self.abandoned(ordinal);
        }
        if let Some(hold) = from.stage().hold() {
            self.at_once(|it| it.sale.hold_gone(&hold.attempt, it.now));
        }
        self.at_once(|it| {
            it.named += 1;
            it.sale.submit_part(ordinal, attempt(it.named), card(), it.now)
        });
        self.at_once(|it| {
            it.named += 1;
            it.sale.begin_call(ordinal, attempt(it.named), it.now).map(|()| Vec::new())
        });
    }

    fn of_all(&mut self) {
        self.at_once(|it| it.sale.capture(it.now));
        self.at_once(|it| it.sale.release(it.now));
        self.at_once(|it| it.sale.cancel(it.now));
        if split(&self.from.sale).state().renewals == 0 {
            self.at_once(|it| it.sale.renew_split(renewal(), it.now));
        }
        let left = (self.from.sale.payment.expires_at() - self.from.now).max(TimeDelta::zero());
        self.change((left - LAST).max(TimeDelta::zero()), |_| Ok::<_, ()>(Vec::new()));
        // At once, after calls are lost, after the window.
        for later in [TimeDelta::zero(), TimeDelta::minutes(2), TimeDelta::minutes(15), left] {
            self.change(later, |it| it.sale.expire_due(it.now));
        }
    }
}

/// Everything that can happen next.
fn next_nodes(from: &Node) -> Vec<(Node, Vec<Event>)> {
    let mut next = Next { from, found: Vec::new() };
    for part in split(&from.sale).parts() {
        next.of_part(part.ordinal);
    }
    next.of_all();
    next.found
}

#[derive(Default)]
struct Walk {
    nodes: BTreeMap<Key, Node>,
    edges: BTreeMap<Key, BTreeSet<Key>>,
    moves: Moves,
}

/// Computed once for all tests.
static OF_TWO: LazyLock<Walk> = LazyLock::new(|| walk(2));
static OF_THREE: LazyLock<Walk> = LazyLock::new(|| walk(3));

fn walk(parts: i64) -> Walk {
    let start = Node { sale: shared_by(parts), now: noon(), named: 0 };
    let mut walk = Walk::default();
    let mut queue = VecDeque::from([key(&start)]);
    walk.nodes.insert(key(&start), start);
    while let Some(from) = queue.pop_front() {
        let node = walk.nodes[&from].clone();
        for (next, events) in next_nodes(&node) {
            assert_eq!(check(&next.sale), Ok(()), "{:?} after {:?}", part_states(&next.sale), part_states(&node.sale));
            assert_capture_is_not_early(&node.sale, &next.sale);
            walk.moves.extend(moves(&node.sale, &next.sale, &events));
            let to = key(&next);
            walk.edges.entry(from.clone()).or_default().insert(to.clone());
            if !walk.nodes.contains_key(&to) {
                walk.nodes.insert(to.clone(), next);
                queue.push_back(to);
            }
        }
    }
    walk
}

/// No share is captured before all are reserved, or another is captured.
fn assert_capture_is_not_early(before: &Sale, after: &Sale) {
    let is_started = part_states(before)
        .iter()
        .zip(part_states(after))
        .any(|(from, to)| *from == PartState::Authorized && to == PartState::Capturing);
    let is_ready = part_states(before).iter().all(|it| *it == PartState::Authorized)
        || part_states(before).contains(&PartState::Succeeded);
    assert!(!is_started || is_ready, "{:?}", part_states(before));
}

/// Changes of the payment's status by its events, which must lead from its status before to the one after.
fn moves(before: &Sale, after: &Sale, events: &[Event]) -> Vec<(&'static str, &'static str)> {
    let moves: Vec<_> = events
        .iter()
        .filter_map(|it| Some((it.previous_status?, it.kind.as_str().strip_prefix("payment.")?)))
        .collect();
    let mut at = before.payment.status().as_str();
    for &(from, to) in &moves {
        assert_eq!(from, at, "{:?}", kinds(events));
        at = to;
    }
    assert_eq!(at, after.payment.status().as_str(), "{:?}", kinds(events));
    moves
}

/// Changes of the status of a payment with two or three parts.
pub(crate) fn moves_of_the_payment() -> Moves {
    OF_TWO.moves.union(&OF_THREE.moves).copied().collect()
}

/// The states from which none at rest can be reached.
fn dead_ends(walk: &Walk) -> Vec<&Key> {
    let mut alive: BTreeSet<&Key> =
        walk.nodes.iter().filter(|(_, node)| node.sale.payment.is_terminal()).map(|(key, _)| key).collect();
    loop {
        let more: Vec<&Key> = walk
            .edges
            .iter()
            .filter(|(from, to)| !alive.contains(from) && to.iter().any(|it| alive.contains(it)))
            .map(|(from, _)| from)
            .collect();
        if more.is_empty() {
            return walk.nodes.keys().filter(|it| !alive.contains(it)).collect();
        }
        alive.extend(more);
    }
}

#[track_caller]
fn check_walk(walk: &Walk) {
    println!("{} states, {} moves of the payment", walk.nodes.len(), walk.moves.len());

    assert_eq!(dead_ends(walk), Vec::<&Key>::new());
    let sales = || walk.nodes.values().map(|it| &it.sale);
    let splits: BTreeSet<SplitStatus> = sales().map(|it| split(it).status()).collect();
    let parts: BTreeSet<PartStatus> = sales().flat_map(|it| split(it).parts()).map(|it| it.status()).collect();
    let payments: BTreeSet<&str> = sales().map(|it| it.payment.status().as_str()).collect();
    assert_eq!(splits.len(), SplitStatus::ALL.len());
    assert_eq!(parts.len(), PartStatus::ALL.len());
    let expected: BTreeSet<&str> =
        PaymentStatus::ALL.iter().map(|it| it.as_str()).filter(|it| *it != "declined").collect();
    assert_eq!(payments, expected);
    for node in walk.nodes.values().filter(|it| !it.sale.payment.is_terminal()) {
        assert!(node.sale.payment.due_at().is_some(), "no work is due for {:?}", part_states(&node.sale));
    }
}

/// From where a payment that is shared may go where, beside `verifying`.
const TABLE: &[(&str, &[&str])] = &[
    ("requires_customer_action", &["partially_authorized", "canceled", "expired", "processing"]),
    ("partially_authorized", &["authorized", "requires_customer_action", "releasing"]),
    ("authorized", &["capturing", "releasing", "partially_authorized"]),
    ("capturing", &["succeeded", "partially_paid", "authorized", "partially_authorized", "requires_customer_action"]),
    ("partially_paid", &["capturing", "releasing"]),
    ("releasing", &["canceled", "expired", "partially_paid", "succeeded", "processing"]),
    ("processing", &["expired", "releasing"]),
    ("expired", &["requires_customer_action"]),
    (
        "verifying",
        &[
            "requires_customer_action",
            "partially_authorized",
            "authorized",
            "capturing",
            "partially_paid",
            "releasing",
            "processing",
            "succeeded",
            "canceled",
            "expired",
        ],
    ),
];

/// Situations without an unknown outcome: no call is in flight, or the call ends otherwise first.
const NEVER_IN_DOUBT: [&str; 3] = ["authorized", "expired", "verifying"];

#[test]
fn a_shared_payment_makes_every_move_of_the_table_and_no_other() {
    let doubts = TABLE.iter().map(|(from, _)| *from).filter(|it| !NEVER_IN_DOUBT.contains(it));
    let mut table: Moves = TABLE.iter().flat_map(|(from, to)| to.iter().map(move |to| (*from, *to))).collect();
    table.extend(doubts.map(|from| (from, "verifying")));

    assert_eq!(moves_of_the_payment(), table);
}

#[test]
fn two_payers_always_come_to_an_end() {
    check_walk(&OF_TWO);
}

/// A22, B13: a captured part counted twice, or the last capture left a bill incomplete.
#[test]
fn three_payers_always_come_to_an_end() {
    check_walk(&OF_THREE);
}
