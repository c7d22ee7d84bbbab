//! Exchange rates.

diesel::table! {
    exchange_rates (merchant, mode, currency, day, set_at) {
        merchant -> Text,
        mode -> Text,
        currency -> Text,
        day -> Text,
        set_at -> BigInt,
        ratio -> BigInt,
        source -> Text,
        last_day -> Text,
    }
}
