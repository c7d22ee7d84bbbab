use chrono::{DateTime, Utc};
use domain::{
    fiscal::DocumentKind,
    merchant::{Address, MerchantDisplay},
    sale::Sale,
};
use serde::Serialize;

/// How the checkout presents a sale.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckoutDisplay<'a> {
    mode: &'static str,
    locale: &'a str,
    merchant: Merchant<'a>,
    fiscal: Fiscal,
    service_charges: ServiceCharges,
    wallets: &'a [String],
    accepted_card_brands: &'a [String],
    three_ds_programs: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Merchant<'a> {
    legal_name: &'a str,
    rnc: &'a str,
    display_name: &'a str,
    support_phone: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    support_email: Option<&'a str>,
    permanent_address: PermanentAddress<'a>,
    delivery_policy: DeliveryPolicy,
    statement_descriptor: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermanentAddress<'a> {
    line1: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line2: Option<&'a str>,
    city: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    province: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    postal_code: Option<&'a str>,
    country_code: &'a str,
}

#[derive(Serialize)]
pub(super) struct DeliveryPolicy {
    kind: &'static str,
}

impl DeliveryPolicy {
    /// The one that there is: nothing is shipped.
    pub(super) const NOT_OFFERED: Self = Self { kind: "not_offered" };
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fiscal {
    available_kinds: Vec<AvailableKind>,
    is_locked: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AvailableKind {
    kind: &'static str,
    is_available: bool,
    buyer_requirement: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ServiceCharges {
    is_propina_applicable: bool,
}

impl<'a> CheckoutDisplay<'a> {
    /// What the checkout of `sale` shows at `now`.
    pub(super) fn of(sale: &'a Sale, now: DateTime<Utc>) -> Self {
        let display = &sale.payment.facts.display;
        Self {
            mode: display.mode.as_str(),
            locale: display.locale.as_str(),
            merchant: Merchant::from(&display.merchant),
            fiscal: Fiscal::of(sale, now),
            service_charges: ServiceCharges { is_propina_applicable: display.is_propina_applicable },
            wallets: &display.wallets,
            accepted_card_brands: &display.card_brands,
            three_ds_programs: &display.three_ds_programs,
        }
    }
}

impl Fiscal {
    fn of(sale: &Sale, now: DateTime<Utc>) -> Self {
        let total = sale.document.total_in_pesos();
        let available_kind = |kind: &DocumentKind| AvailableKind {
            kind: kind.as_str(),
            is_available: sale.payment.facts.display.available_kinds.contains(kind),
            buyer_requirement: kind.buyer_requirement(total).as_str(),
        };
        Self {
            available_kinds: DocumentKind::ALL.iter().map(available_kind).collect(),
            is_locked: sale.document.facts.is_kind_locked || !sale.payment.is_editable(now),
        }
    }
}

impl<'a> From<&'a MerchantDisplay> for Merchant<'a> {
    fn from(merchant: &'a MerchantDisplay) -> Self {
        Self {
            legal_name: merchant.legal_name.as_str(),
            rnc: merchant.rnc.as_str(),
            display_name: merchant.display_name.as_str(),
            support_phone: merchant.support_phone.as_str(),
            support_email: merchant.support_email.as_ref().map(|it| it.as_str()),
            permanent_address: (&merchant.permanent_address).into(),
            delivery_policy: DeliveryPolicy::NOT_OFFERED,
            statement_descriptor: merchant.statement_descriptor.as_str(),
        }
    }
}

impl<'a> From<&'a Address> for PermanentAddress<'a> {
    fn from(address: &'a Address) -> Self {
        Self {
            line1: address.line1.as_str(),
            line2: address.line2.as_ref().map(|it| it.as_str()),
            city: address.city.as_str(),
            province: address.province.as_ref().map(|it| it.as_str()),
            postal_code: address.postal_code.as_ref().map(|it| it.as_str()),
            country_code: address.country_code.as_str(),
        }
    }
}
