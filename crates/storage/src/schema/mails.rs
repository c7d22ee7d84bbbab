//! Mail: documents that are wanted, and what tells of endpoints that were switched off.

diesel::table! {
    deliveries (merchant, mode, document, number) {
        merchant -> Text,
        mode -> Text,
        document -> Text,
        number -> BigInt,
        email -> Text,
        status -> Text,
        requested_at -> BigInt,
        status_at -> Nullable<BigInt>,
        problem -> Nullable<Text>,
        tries -> BigInt,
        doubts -> BigInt,
        is_under_way -> Bool,
        due_at -> Nullable<BigInt>,
        lease_until -> Nullable<BigInt>,
        version -> BigInt,
    }
}

diesel::table! {
    switch_off_mails (merchant, mode, event) {
        merchant -> Text,
        mode -> Text,
        event -> Text,
        endpoint -> Text,
        told_at -> BigInt,
        email -> Nullable<Text>,
        locale -> Text,
        failing_since -> BigInt,
        last_result -> Text,
        snapshot -> Text,
        status -> Text,
        status_at -> Nullable<BigInt>,
        problem -> Nullable<Text>,
        tries -> BigInt,
        doubts -> BigInt,
        is_under_way -> Bool,
        due_at -> Nullable<BigInt>,
        lease_until -> Nullable<BigInt>,
        version -> BigInt,
    }
}
