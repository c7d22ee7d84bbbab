//! Documents and approvals from other taxpayers.

diesel::table! {
    received_documents (merchant, mode, environment, sender, number) {
        merchant -> Text,
        mode -> Text,
        environment -> Text,
        sender -> Text,
        number -> Text,
        ecf_type -> BigInt,
        recipient -> Text,
        issue_date -> Text,
        total -> BigInt,
        received_at -> BigInt,
        xml -> Binary,
        acknowledgement -> Text,
    }
}

diesel::table! {
    commercial_approvals (merchant, mode, document) {
        merchant -> Text,
        mode -> Text,
        document -> Text,
        issuer -> Text,
        number -> Text,
        issue_date -> Text,
        total -> BigInt,
        buyer -> Text,
        is_accepted -> Bool,
        reason -> Nullable<Text>,
        decided_at -> Text,
        received_at -> BigInt,
        xml -> Binary,
    }
}
