use domain::fiscal;
use serde::Serialize;

/// What a sale comes to: the only totals that a checkout page shows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Breakdown<'a> {
    taxable_bases: Vec<TaxableBase>,
    exempt_minor_units: i64,
    service_charges: Vec<ServiceCharge>,
    taxes_minor_units: i64,
    total_minor_units: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<Group<'a>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaxableBase {
    tax_treatment: &'static str,
    base_minor_units: i64,
    tax_minor_units: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ServiceCharge {
    kind: &'static str,
    minor_units: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Group<'a> {
    group: &'a str,
    subtotal_minor_units: i64,
}

impl<'a> From<&'a fiscal::Breakdown> for Breakdown<'a> {
    fn from(breakdown: &'a fiscal::Breakdown) -> Self {
        let base = |it: &fiscal::TaxableBase| TaxableBase {
            tax_treatment: it.tax_treatment.as_str(),
            base_minor_units: it.base_minor_units,
            tax_minor_units: it.tax_minor_units,
        };
        let charge = |it: &fiscal::ServiceCharge| ServiceCharge { kind: "propina_legal", minor_units: it.minor_units };
        let group =
            |it: &'a fiscal::Group| Group { group: it.group.as_str(), subtotal_minor_units: it.subtotal_minor_units };
        Self {
            taxable_bases: breakdown.taxable_bases.iter().map(base).collect(),
            exempt_minor_units: breakdown.exempt_minor_units,
            service_charges: breakdown.service_charges.iter().map(charge).collect(),
            taxes_minor_units: breakdown.taxes_minor_units,
            total_minor_units: breakdown.total_minor_units,
            groups: breakdown.groups.as_ref().map(|groups| groups.iter().map(group).collect()),
        }
    }
}
