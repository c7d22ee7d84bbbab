//! E-mails with documents, and about disabled endpoints.

diesel::table! {
    document_emails (merchant, mode, document, number) {
        merchant -> Text,
        mode -> Text,
        document -> Text,
        number -> BigInt,
        email -> Text,
        status -> Text,
        requested_at -> BigInt,
        status_at -> Nullable<BigInt>,
        problem -> Nullable<Text>,
        attempts -> BigInt,
        unknown_outcomes -> BigInt,
        is_sending -> Bool,
        due_at -> Nullable<BigInt>,
        lease_until -> Nullable<BigInt>,
        version -> BigInt,
    }
}

diesel::table! {
    endpoint_disabled_emails (merchant, mode, event) {
        merchant -> Text,
        mode -> Text,
        event -> Text,
        endpoint -> Text,
        occurred_at -> BigInt,
        email -> Nullable<Text>,
        locale -> Text,
        failing_since -> BigInt,
        last_result -> Text,
        snapshot -> Text,
        status -> Text,
        status_at -> Nullable<BigInt>,
        problem -> Nullable<Text>,
        attempts -> BigInt,
        unknown_outcomes -> BigInt,
        is_sending -> Bool,
        due_at -> Nullable<BigInt>,
        lease_until -> Nullable<BigInt>,
        version -> BigInt,
    }
}
