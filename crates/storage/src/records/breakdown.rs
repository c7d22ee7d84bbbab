use domain::{
    fiscal::{Breakdown, Group, ServiceCharge, TaxTreatment, TaxableBase},
    text::BoundedText,
};
use serde::{Deserialize, Serialize};

use super::optional;

#[derive(Serialize, Deserialize)]
pub(super) struct BreakdownRecord {
    taxable_bases: Vec<BaseRecord>,
    exempt: i64,
    service_charges: Vec<i64>,
    taxes: i64,
    total: i64,
    non_billable: i64,
    tip_base: i64,
    groups: Option<Vec<GroupRecord>>,
    line_totals: Vec<i64>,
}

#[derive(Serialize, Deserialize)]
struct BaseRecord {
    tax_treatment: String,
    base: i64,
    tax: i64,
}

#[derive(Serialize, Deserialize)]
struct GroupRecord {
    group: String,
    subtotal: i64,
}

impl From<&Breakdown> for BreakdownRecord {
    fn from(breakdown: &Breakdown) -> Self {
        let base = |it: &TaxableBase| BaseRecord {
            tax_treatment: it.tax_treatment.as_str().to_owned(),
            base: it.base_minor_units,
            tax: it.tax_minor_units,
        };
        let group = |it: &Group| GroupRecord { group: it.group.as_str().to_owned(), subtotal: it.subtotal_minor_units };
        Self {
            taxable_bases: breakdown.taxable_bases.iter().map(base).collect(),
            exempt: breakdown.exempt_minor_units,
            service_charges: breakdown.service_charges.iter().map(|it| it.minor_units).collect(),
            taxes: breakdown.taxes_minor_units,
            total: breakdown.total_minor_units,
            non_billable: breakdown.non_billable_minor_units,
            tip_base: breakdown.tip_base_minor_units,
            groups: breakdown.groups.as_ref().map(|groups| groups.iter().map(group).collect()),
            line_totals: breakdown.line_totals.clone(),
        }
    }
}

impl BreakdownRecord {
    pub(super) fn restore(self) -> Option<Breakdown> {
        let groups = |records: Vec<GroupRecord>| records.into_iter().map(GroupRecord::restore).collect();
        Some(Breakdown {
            taxable_bases: self.taxable_bases.into_iter().map(BaseRecord::restore).collect::<Option<_>>()?,
            exempt_minor_units: self.exempt,
            service_charges: self.service_charges.into_iter().map(|it| ServiceCharge { minor_units: it }).collect(),
            taxes_minor_units: self.taxes,
            total_minor_units: self.total,
            non_billable_minor_units: self.non_billable,
            tip_base_minor_units: self.tip_base,
            groups: optional(self.groups, groups)?,
            line_totals: self.line_totals,
        })
    }
}

impl BaseRecord {
    fn restore(self) -> Option<TaxableBase> {
        Some(TaxableBase {
            tax_treatment: TaxTreatment::from_code(&self.tax_treatment)?,
            base_minor_units: self.base,
            tax_minor_units: self.tax,
        })
    }
}

impl GroupRecord {
    fn restore(self) -> Option<Group> {
        Some(Group { group: BoundedText::parse(&self.group)?, subtotal_minor_units: self.subtotal })
    }
}
