//! Numbers of fiscal documents: granted, assigned and annulled.

diesel::table! {
    number_ranges (issuer, environment, kind, first) {
        issuer -> Text,
        environment -> Text,
        kind -> Text,
        first -> BigInt,
        last -> BigInt,
        next -> BigInt,
        valid_until -> Nullable<Text>,
        merchant -> Text,
        mode -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    fiscal_numbers (issuer, environment, kind, sequence) {
        issuer -> Text,
        environment -> Text,
        kind -> Text,
        sequence -> BigInt,
        merchant -> Text,
        mode -> Text,
        document -> Text,
        revision -> BigInt,
        valid_until -> Nullable<Text>,
        issue_date -> Text,
        assigned_at -> BigInt,
    }
}

diesel::table! {
    annulments (merchant, mode, id) {
        merchant -> Text,
        mode -> Text,
        id -> Text,
        issuer -> Text,
        environment -> Text,
        kind -> Text,
        range_first -> BigInt,
        first -> BigInt,
        last -> BigInt,
        requested_at -> BigInt,
        state -> Text,
        resolved_at -> Nullable<BigInt>,
        authority_messages -> Text,
        xml -> Binary,
    }
}
