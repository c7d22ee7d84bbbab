use domain::fiscal::{self, TaxTreatment};
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Coded, LegalTip, Text};

/// Composition of the amount of a sale, in minor units: the only totals that a checkout page shows.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Breakdown<'a> {
    /// Net amount and ITBIS of the lines, by rate.
    taxable_bases: Vec<TaxableBase>,
    /// Net amount of the exempt lines.
    exempt_minor_units: i64,
    /// Service charges.
    service_charges: Vec<ServiceCharge>,
    /// ITBIS of all lines.
    taxes_minor_units: i64,
    /// Amount of the sale.
    total_minor_units: i64,
    /// Net amounts of the lines, by group. Present if a line has a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<Group<'a>>>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct TaxableBase {
    /// ITBIS rate.
    #[schemars(schema_with = "rates")]
    tax_treatment: Coded<TaxTreatment>,
    /// Net amount of the lines with this rate.
    base_minor_units: i64,
    /// ITBIS of the lines with this rate.
    tax_minor_units: i64,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct ServiceCharge {
    /// Legal tip (propina legal) of 10 %.
    kind: LegalTip,
    /// Amount of the charge.
    minor_units: i64,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Group<'a> {
    /// Name of the group.
    group: Text<'a, 1, 64>,
    /// Net amount of the lines of the group.
    subtotal_minor_units: i64,
}

/// Schema of the tax treatments that have a rate.
fn rates(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let rates = TaxTreatment::ALL.iter().filter(|treatment| treatment.rate_percent().is_some());
    crate::schema::choice(rates.map(|treatment| treatment.as_str())).try_into().expect("a schema is an object")
}

impl Breakdown<'_> {
    pub(super) fn without_groups(self) -> Self {
        Self { groups: None, ..self }
    }
}

impl<'a> From<&'a fiscal::Breakdown> for Breakdown<'a> {
    fn from(breakdown: &'a fiscal::Breakdown) -> Self {
        let base = |base: &fiscal::TaxableBase| TaxableBase {
            tax_treatment: base.tax_treatment.into(),
            base_minor_units: base.base_minor_units,
            tax_minor_units: base.tax_minor_units,
        };
        let charge = |charge: &fiscal::ServiceCharge| ServiceCharge { kind: LegalTip, minor_units: charge.minor_units };
        let group = |group: &'a fiscal::Group| Group {
            group: (&group.group).into(),
            subtotal_minor_units: group.subtotal_minor_units,
        };
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
