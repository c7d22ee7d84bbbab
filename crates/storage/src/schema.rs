//! The tables of `migrations/`, in types that both databases have.

mod emails;
mod exchange;
mod numbers;
mod rates;
mod refund;

pub(crate) use emails::{document_emails, endpoint_disabled_emails};
pub(crate) use exchange::{commercial_approvals, received_documents};
pub(crate) use numbers::{annulments, fiscal_numbers, number_ranges};
pub(crate) use rates::exchange_rates;
pub(crate) use refund::{balances, refunds};

diesel::table! {
    merchants (id) {
        id -> Text,
        is_live_enabled -> Bool,
        created_at -> BigInt,
    }
}

diesel::table! {
    key_checks (id) {
        id -> BigInt,
        sealed -> Binary,
    }
}

diesel::table! {
    profiles (merchant, mode) {
        merchant -> Text,
        mode -> Text,
        legal_name -> Nullable<Text>,
        rnc -> Nullable<Text>,
        display_name -> Nullable<Text>,
        support_phone -> Nullable<Text>,
        support_email -> Nullable<Text>,
        permanent_address -> Nullable<Text>,
        statement_descriptor -> Nullable<Text>,
        locale -> Text,
        is_propina_applicable -> Bool,
        default_checkout_mode -> Text,
        payment_window -> BigInt,
        is_split_enabled -> Bool,
        version -> BigInt,
        updated_at -> BigInt,
    }
}

diesel::table! {
    accounts (merchant, mode, id) {
        merchant -> Text,
        mode -> Text,
        id -> Text,
        provider -> Text,
        venue_reference -> Nullable<Text>,
        lifecycle -> Text,
        credential_version -> BigInt,
        abilities -> Text,
        created_at -> BigInt,
        probe -> Nullable<Text>,
        probe_due_at -> Nullable<BigInt>,
        notified_readiness -> Text,
        readiness_due_at -> BigInt,
        returns_listed_before -> Text,
        returns_lease_until -> Nullable<BigInt>,
    }
}

diesel::table! {
    account_credentials (merchant, mode, account, version) {
        merchant -> Text,
        mode -> Text,
        account -> Text,
        version -> BigInt,
        sealed -> Binary,
        set_at -> BigInt,
    }
}

diesel::table! {
    webhook_endpoints (merchant, mode, id) {
        merchant -> Text,
        mode -> Text,
        id -> Text,
        url -> Text,
        enabled_events -> Text,
        description -> Nullable<Text>,
        disabled -> Nullable<Text>,
        sealed_secret -> Binary,
        created_at -> BigInt,
        updated_at -> BigInt,
        version -> BigInt,
        previous_secret -> Nullable<Binary>,
        previous_until -> Nullable<BigInt>,
        failing_since -> Nullable<BigInt>,
        removed_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    webhook_endpoint_counts (merchant, mode) {
        merchant -> Text,
        mode -> Text,
        endpoints -> BigInt,
    }
}

diesel::table! {
    merchant_keys (digest) {
        digest -> Binary,
        merchant -> Text,
        mode -> Text,
        role -> Text,
        accounts -> Text,
        may_refund -> Bool,
        hint -> Text,
        created_at -> BigInt,
        ends_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    merchant_key_uses (merchant, mode, digest) {
        merchant -> Text,
        mode -> Text,
        digest -> Binary,
        last_used_at -> BigInt,
    }
}

diesel::table! {
    certificates (merchant, mode, id) {
        merchant -> Text,
        mode -> Text,
        id -> Text,
        subject -> Text,
        not_before -> BigInt,
        not_after -> BigInt,
        certificate -> Binary,
        sealed_key -> Binary,
        imported_at -> BigInt,
    }
}

diesel::table! {
    payments (merchant, mode, id) {
        merchant -> Text,
        mode -> Text,
        id -> Text,
        account -> Text,
        provider -> Text,
        document -> Text,
        amount -> BigInt,
        currency -> Text,
        sale_reference -> Text,
        details -> Text,
        checkout_reference -> Text,
        checkout_link -> Text,
        created_at -> BigInt,
        voluntary_tip -> BigInt,
        expires_at -> BigInt,
        method -> Nullable<Text>,
        attempts -> BigInt,
        status -> Text,
        attempt -> Nullable<Text>,
        submitted_at -> Nullable<BigInt>,
        ended_at -> Nullable<BigInt>,
        decline_code -> Nullable<Text>,
        decline_can_try_again -> Nullable<Bool>,
        challenge -> Nullable<Text>,
        verification -> Nullable<Text>,
        split -> Nullable<Text>,
        orphans -> Nullable<Text>,
        updated_at -> BigInt,
        version -> BigInt,
        due_at -> Nullable<BigInt>,
        lease_until -> Nullable<BigInt>,
        event_sequence -> BigInt,
    }
}

diesel::table! {
    fiscal_revisions (merchant, mode, document, revision) {
        merchant -> Text,
        mode -> Text,
        document -> Text,
        revision -> BigInt,
        replaced_at -> BigInt,
        state -> Text,
    }
}

diesel::table! {
    fiscal_documents (merchant, mode, id) {
        merchant -> Text,
        mode -> Text,
        id -> Text,
        payment -> Text,
        environment -> Text,
        issuer -> Text,
        currency -> Text,
        terms -> Text,
        created_at -> BigInt,
        kind -> Text,
        invoice_number -> Text,
        order_number -> Text,
        total -> BigInt,
        content -> Text,
        revision -> BigInt,
        delivery -> Text,
        status -> Text,
        stage -> Nullable<Text>,
        fiscal_number -> Nullable<Text>,
        updated_at -> BigInt,
        version -> BigInt,
        due_at -> Nullable<BigInt>,
        lease_until -> Nullable<BigInt>,
        queue -> Nullable<Text>,
        queued_at -> Nullable<BigInt>,
        render_at -> Nullable<BigInt>,
        problem -> Nullable<Text>,
        modifies -> Nullable<Text>,
        refund -> Nullable<Text>,
        credited -> BigInt,
    }
}

diesel::table! {
    attempts (merchant, mode, id) {
        merchant -> Text,
        mode -> Text,
        id -> Text,
        payment -> Text,
        account -> Text,
        number -> BigInt,
        part -> Nullable<BigInt>,
        kind -> Text,
        amount -> BigInt,
        currency -> Text,
        card -> Nullable<Text>,
        started_at -> BigInt,
        state -> Text,
        decline_code -> Nullable<Text>,
        provider_reference -> Nullable<Text>,
        challenge_link -> Nullable<Text>,
        updated_at -> BigInt,
        refund -> Nullable<Text>,
    }
}

diesel::table! {
    challenge_returns (merchant, mode, attempt, kind, is_applied) {
        merchant -> Text,
        mode -> Text,
        attempt -> Text,
        kind -> Text,
        is_applied -> Bool,
        occurrences -> BigInt,
        first_at -> BigInt,
        last_at -> BigInt,
    }
}

diesel::table! {
    artifacts (merchant, mode, document, revision, kind) {
        merchant -> Text,
        mode -> Text,
        document -> Text,
        revision -> BigInt,
        kind -> Text,
        sha256 -> Binary,
        bytes -> Binary,
    }
}

diesel::table! {
    events (merchant, mode, payment, sequence) {
        merchant -> Text,
        mode -> Text,
        payment -> Text,
        sequence -> BigInt,
        kind -> Text,
        previous_status -> Nullable<Text>,
        part -> Nullable<BigInt>,
        request -> Nullable<Text>,
        occurred_at -> BigInt,
        snapshot -> Nullable<Text>,
    }
}

diesel::table! {
    account_events (merchant, mode, id) {
        merchant -> Text,
        mode -> Text,
        id -> Text,
        kind -> Text,
        endpoint -> Nullable<Text>,
        account -> Nullable<Text>,
        request -> Nullable<Text>,
        occurred_at -> BigInt,
        snapshot -> Text,
    }
}

diesel::table! {
    webhook_deliveries (merchant, mode, endpoint, occurred_at, subject, sequence) {
        merchant -> Text,
        mode -> Text,
        endpoint -> Text,
        occurred_at -> BigInt,
        subject -> Text,
        sequence -> BigInt,
        kind -> Text,
        attempts -> BigInt,
        status -> Text,
        due_at -> Nullable<BigInt>,
        lease_until -> Nullable<BigInt>,
        ended_at -> Nullable<BigInt>,
        last_attempt_at -> Nullable<BigInt>,
        last_result -> Nullable<Text>,
        last_duration -> Nullable<BigInt>,
    }
}

diesel::table! {
    checkout_tokens (digest) {
        digest -> Binary,
        merchant -> Text,
        mode -> Text,
        payment -> Text,
        scope -> Text,
        expires_at -> BigInt,
        session -> Nullable<Text>,
        session_seen_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    idempotency_keys (merchant, mode, payment, digest) {
        merchant -> Text,
        mode -> Text,
        payment -> Text,
        digest -> Binary,
        fingerprint -> Binary,
        first_used_at -> BigInt,
        epoch -> BigInt,
        state -> Text,
        lease_until -> Nullable<BigInt>,
        attempt -> Nullable<Text>,
        status -> Nullable<BigInt>,
        etag -> Nullable<Text>,
        request -> Nullable<Text>,
        sealed_body -> Nullable<Binary>,
    }
}

diesel::table! {
    stored_cards (merchant, mode, attempt) {
        merchant -> Text,
        mode -> Text,
        attempt -> Text,
        payment -> Text,
        account -> Text,
        provider -> Text,
        sealed -> Binary,
        due_at -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(merchants, merchant_keys, accounts);
diesel::allow_tables_to_appear_in_same_query!(events, payments, fiscal_documents);
diesel::allow_tables_to_appear_in_same_query!(fiscal_numbers, fiscal_documents);
diesel::allow_tables_to_appear_in_same_query!(refunds, fiscal_documents);
diesel::allow_tables_to_appear_in_same_query!(webhook_endpoints, webhook_deliveries);
diesel::allow_tables_to_appear_in_same_query!(fiscal_revisions, fiscal_documents);
