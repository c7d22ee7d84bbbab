use crate::support::APPROVED_CARD;

/// Kind of refund, by the cards of its sale.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// Card of each payer.
    pub(super) cards: &'static [&'static str],
    /// Whether the charge is older than the void window of the acquirer.
    pub(super) is_after_void_window: bool,
    /// Requested amount; `None` for everything. After half of a charge or less, the acquirer would return the same again.
    pub(super) amount: Option<i64>,
    /// Returned amount of each card.
    pub(super) returns: &'static [i64],
    /// Final status of the refund.
    pub(super) status: &'static str,
    /// Commits with a kill before and a kill after, by the written rows. Each commit is in one scenario.
    pub(super) commits: &'static [&'static str],
    /// Minimum number of kills during calls of the acquirer; 0 if each call has a response.
    pub(super) in_calls: u32,
}

pub(super) const ALL: [&Scenario; 5] = [&VOID, &REFUND, &LOST_REFUND, &SILENT_VOID, &SPLIT];

/// The charge is voided.
pub(super) const VOID: Scenario = Scenario {
    name: "void",
    cards: &[APPROVED_CARD],
    is_after_void_window: false,
    amount: None,
    returns: &[1_280_00],
    status: "succeeded",
    commits: &[
        "key locked+refund processing+void open",
        "key done+note number+refund succeeded+void approved",
        "note number leased",
        "number",
        "note verdict",
        "note verdict tracked",
        "note verdict tracked leased",
        "note issued+original issued",
        "note submission",
        "key done",
        "refund open+refund processing+void not_happened",
    ],
    in_calls: 0,
};

/// The charge is older, so that the acquirer refunds the charge.
pub(super) const REFUND: Scenario = Scenario {
    name: "refund",
    is_after_void_window: true,
    amount: Some(500_00),
    returns: &[500_00],
    commits: &[
        "key locked+refund open+refund processing",
        "key done+note number+refund approved+refund succeeded",
        "refund failed+refund not_happened",
    ],
    ..VOID
};

/// The acquirer makes the refund, and resets the connection.
pub(super) const LOST_REFUND: Scenario = Scenario {
    name: "lost refund",
    cards: &["4222220033000009"],
    amount: Some(500_00),
    returns: &[500_00],
    commits: &[
        "key done+refund unknown+refund verifying",
        "refund verifying leased",
        "note number+refund approved+refund succeeded",
    ],
    ..VOID
};

/// The acquirer voids the charge and sends no response.
pub(super) const SILENT_VOID: Scenario = Scenario {
    name: "silent void",
    cards: &["4222220038000004"],
    commits: &[
        "refund processing leased",
        "refund verifying+void unknown",
        "note number+refund succeeded+void approved",
    ],
    in_calls: 3,
    ..VOID
};

/// The acquirer refuses the void of the second payer's charge, and declines the refund.
pub(super) const SPLIT: Scenario = Scenario {
    name: "split",
    cards: &[APPROVED_CARD, "4222220031000050"],
    returns: &[640_00, 0],
    status: "partially_succeeded",
    commits: &[
        "refund processing+void approved",
        "key locked+refund open+refund processing+void declined",
        "key done+note number+refund declined+refund partly_succeeded",
        "note number+refund declined+refund partly_succeeded",
    ],
    ..VOID
};
