use domain::merchant::Profile;

use super::row;
use crate::schema::profiles;

row! {
    /// One row of `profiles`.
    #[derive(diesel::AsChangeset)]
    #[diesel(primary_key(merchant, mode), treat_none_as_null = true)]
    ProfileRow in profiles by merchant {
        merchant: String,
        mode: String,
        legal_name: Option<String>,
        rnc: Option<String>,
        display_name: Option<String>,
        support_phone: Option<String>,
        support_email: Option<String>,
        permanent_address: Option<String>,
        statement_descriptor: Option<String>,
        locale: String,
        is_propina_applicable: bool,
        default_checkout_mode: String,
        payment_window: i64,
        is_split_enabled: bool,
        version: i64,
        updated_at: i64,
    }
    Profile {
        merchant,
        mode,
        legal_name,
        rnc,
        display_name,
        support_phone,
        support_email,
        permanent_address,
        statement_descriptor,
        locale,
        is_propina_applicable,
        default_checkout_mode,
        payment_window,
        is_split_enabled,
        version,
        updated_at,
    }
}
