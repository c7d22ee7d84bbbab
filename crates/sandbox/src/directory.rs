//! A small register of taxpayers.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::fiscal::{TaxId, Taxpayer};
use ports::{TaxpayerDirectory, Unavailable};
use serde::Serialize;

use crate::faults::{Fault, Faults, Injected, Target};

/// The RNC of the sandbox's own merchant.
pub const DEMO_RNC: &str = "130000001";

/// Test buyers. Their check digits are valid, and the numbers belong to no taxpayer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DemoBuyers {
    /// A company in good standing.
    pub company: &'static str,
    /// A suspended company.
    pub suspended: &'static str,
    /// A number outside the register.
    pub unknown: &'static str,
    /// A public body.
    pub government: &'static str,
    /// A person, by cédula.
    pub person: &'static str,
}

/// The buyers of the [`Directory`], and one outside the register.
pub const fn demo_buyers() -> DemoBuyers {
    DemoBuyers {
        company: "101000007",
        suspended: "102000001",
        unknown: "103000002",
        government: "401000008",
        person: "00100000017",
    }
}

/// A registered cédula with a wrong check digit, like several hundred real ones.
const UNCHECKED_PERSON: &str = "00000021249";

/// A register that lists four of the [`demo_buyers`], and one person with an invalid check digit.
pub struct Directory {
    faults: Arc<Faults>,
}

impl Directory {
    /// A register with injected faults.
    pub const fn new(faults: Arc<Faults>) -> Self {
        Self { faults }
    }
}

#[async_trait]
impl TaxpayerDirectory for Directory {
    async fn find(&self, tax_id: &TaxId) -> Result<Option<Taxpayer>, Unavailable> {
        match self.faults.take(Target::Directory) {
            None => Ok(listed(tax_id)),
            // A recent registration is not listed yet.
            Some(Fault::VisibilityLag) => Ok(None),
            Some(fault) => Err(Unavailable { what: "the taxpayer directory", source: Box::new(Injected(fault)) }),
        }
    }

    async fn lists(&self, tax_id: &TaxId) -> Result<bool, Unavailable> {
        self.find(tax_id).await.map(|taxpayer| taxpayer.is_some())
    }

    /// This register has no copy that could become outdated.
    async fn as_of(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        Ok(None)
    }
}

fn listed(tax_id: &TaxId) -> Option<Taxpayer> {
    let DemoBuyers { company, suspended, government, person, .. } = demo_buyers();
    let taxpayer = |legal_name: &str, is_active, is_government| {
        Some(Taxpayer { tax_id: tax_id.clone(), legal_name: legal_name.to_owned(), is_active, is_government })
    };
    match tax_id.as_str() {
        id if id == company => taxpayer("COMERCIAL DEMOSTRACIÓN, SRL", true, false),
        id if id == suspended => taxpayer("SUSPENDIDA DEMOSTRACIÓN, SRL", false, false),
        id if id == government => taxpayer("INSTITUCIÓN PÚBLICA DE DEMOSTRACIÓN", true, true),
        id if id == person => taxpayer("PERSONA DE DEMOSTRACIÓN", true, false),
        UNCHECKED_PERSON => taxpayer("PERSONA SIN DÍGITO DE DEMOSTRACIÓN", true, false),
        _ => None,
    }
}
