//! Refunds, and their sums in payments.

diesel::table! {
    refunds (merchant, mode, id) {
        merchant -> Text,
        mode -> Text,
        id -> Text,
        payment -> Text,
        account -> Text,
        currency -> Text,
        origin -> Text,
        settlement -> Text,
        refund_reference -> Nullable<Text>,
        retried -> Nullable<Text>,
        found_reference -> Nullable<Text>,
        details -> Text,
        created_at -> BigInt,
        status -> Text,
        scope -> Nullable<Text>,
        reason -> Nullable<Text>,
        description -> Nullable<Text>,
        amount -> BigInt,
        voluntary_tip -> BigInt,
        total -> BigInt,
        undocumented -> BigInt,
        legs -> Text,
        planned -> Text,
        note -> Nullable<Text>,
        ended_at -> Nullable<BigInt>,
        updated_at -> BigInt,
        version -> BigInt,
        due_at -> Nullable<BigInt>,
        lease_until -> Nullable<BigInt>,
    }
}

diesel::table! {
    /// Further columns of `payments`: a table in Diesel has at most 32. See [`OfPayment`](crate::write::OfPayment).
    #[sql_name = "payments"]
    balances (merchant, mode, id) {
        merchant -> Text,
        mode -> Text,
        id -> Text,
        captured -> BigInt,
        returned -> BigInt,
        pending -> BigInt,
        over_returned -> BigInt,
        taken_tip -> BigInt,
        undocumented -> BigInt,
        refund_count -> BigInt,
    }
}
