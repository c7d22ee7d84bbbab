use std::{fs, path::Path};

use app::{
    Ports, Tenant,
    operators::{Grant, KeyRestriction, SetupError, add_sequence, create_merchant, create_restricted_key},
};
use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use domain::{
    MerchantId, Mode,
    account::Provider,
    credential::Role,
    fiscal::{DocumentKind, Environment, NumberRange, TaxId, local_date},
    merchant::{Address, Profile},
    text::{BoundedText, Email},
};
use sandbox::DEMO_RNC;
use serde::{Deserialize, Serialize};
use xml_signer::{read_pkcs12, self_signed_certificate};

use super::data::DataFolder;
use crate::{
    failure::{Context, Done, Failure},
    operator,
};

/// File of the demo merchant and the keys.
const MEMORY: &str = "sandbox.json";
/// How many numbers of each kind the merchant has.
const NUMBERS: u64 = 10_000_000;
/// Numbers per block. A merchant of a lost folder has used a block of the issuer's numbers: the next one gets the next block.
const BLOCKS: u64 = 100;
/// The merchant's standard key refunds too.
const REFUNDING: KeyRestriction = KeyRestriction { accounts: Vec::new(), may_refund: true };
/// For how many years certificate and numbers are good: the clock may be moved far.
const YEARS: i32 = 5;

/// Demo merchant with keys.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Demo {
    merchant_id: String,
    pub(super) merchant_account_id: String,
    pub(crate) merchant_api_key: String,
    pub(crate) admin_api_key: String,
    /// Key that is restricted to one account.
    pub(super) restricted_api_key: String,
    /// Key of the live mode, in which the merchant cannot sell.
    pub(super) live_api_key: String,
    /// Whether the merchant's key may refund, and the merchant has numbers for credit notes: not in folders of 0.1.0.
    #[serde(default)]
    has_refunds: bool,
}

impl Demo {
    /// Reads the demo merchant of a sandbox, which may be running.
    pub(crate) fn in_folder(folder: &Path) -> Done<Self> {
        let path = folder.join(MEMORY);
        let bytes = fs::read(&path).or_fail(format!("no sandbox keeps its keys in {}", path.display()))?;
        serde_json::from_slice(&bytes).or_fail(format!("{} cannot be read", path.display()))
    }

    /// The merchant that the folder remembers, or a new one.
    ///
    /// Stores the merchant when complete. A crash before that leaves an unused merchant.
    pub(super) async fn ready(ports: &Ports, data: &DataFolder) -> Done<Self> {
        let Some(mut demo) = data.recall::<Self>(MEMORY)? else {
            let demo = Self::make(ports).await?;
            data.keep(MEMORY, &demo)?;
            return Ok(demo);
        };
        if !demo.has_refunds {
            demo.add_refunds(ports).await?;
            data.keep(MEMORY, &demo)?;
        }
        Ok(demo)
    }

    /// Numbers for credit notes, and a key that may refund.
    async fn add_refunds(&mut self, ports: &Ports) -> Done {
        let tenant = self.tenant()?;
        if self.ranges(ports).await?.iter().all(|range| range.kind != DocumentKind::CreditNote) {
            add_numbers(ports, &tenant, DocumentKind::CreditNote).await?;
        }
        self.merchant_api_key = make_key(ports, &tenant, Role::Standard, REFUNDING).await?;
        self.has_refunds = true;
        Ok(())
    }

    /// Tenant of the demo merchant.
    pub(super) fn tenant(&self) -> Done<Tenant> {
        let merchant = MerchantId::parse(&self.merchant_id);
        let merchant = merchant.ok_or_else(|| Failure::new(format!("{MEMORY} does not name a merchant")))?;
        Ok(Tenant { merchant, mode: Mode::Test })
    }

    /// The ranges of numbers that the merchant has.
    pub(super) async fn ranges(&self, ports: &Ports) -> Done<Vec<NumberRange>> {
        let setup = ports.merchants.setup(&self.tenant()?).await.or_fail("the demo merchant cannot be read")?;
        if setup.profile.is_none() {
            return Err(Failure::new("the database does not know the merchant of this data folder"));
        }
        Ok(setup.issuer.ranges)
    }

    async fn make(ports: &Ports) -> Done<Self> {
        let made = create_merchant(ports, profile, false).await;
        let merchant = made.or_fail("the demo merchant was not made")?;
        let tenant = Tenant { merchant, mode: Mode::Test };

        for kind in DocumentKind::ALL {
            add_numbers(ports, &tenant, kind).await?;
        }
        add_certificate(ports, &tenant).await?;
        // Last, so that the account is ready from the start and causes no event.
        let account = operator::create_account(ports, &tenant, Provider::Simulator).await?;
        // The last two keys show refusals.
        let restriction = KeyRestriction { accounts: vec![account.clone()], may_refund: false };
        let live = Tenant { mode: Mode::Live, ..tenant.clone() };
        Ok(Self {
            merchant_id: tenant.merchant.as_str().to_owned(),
            merchant_account_id: account.as_str().to_owned(),
            merchant_api_key: make_key(ports, &tenant, Role::Standard, REFUNDING).await?,
            admin_api_key: make_key(ports, &tenant, Role::Admin, KeyRestriction::default()).await?,
            restricted_api_key: make_key(ports, &tenant, Role::Standard, restriction).await?,
            live_api_key: make_key(ports, &live, Role::Admin, KeyRestriction::default()).await?,
            has_refunds: true,
        })
    }
}

async fn make_key(ports: &Ports, tenant: &Tenant, role: Role, restriction: KeyRestriction) -> Done<String> {
    create_restricted_key(ports, tenant, role, restriction).await.or_fail("a key of the demo merchant was not made")
}

async fn add_numbers(ports: &Ports, tenant: &Tenant, kind: DocumentKind) -> Done {
    let year = local_date(ports.clock.now()).year().saturating_add(YEARS);
    for block in 0..BLOCKS {
        let grant = Grant {
            kind,
            first: block * NUMBERS + 1,
            last: (block + 1) * NUMBERS,
            valid_until: NaiveDate::from_ymd_opt(year, 12, 31),
            environment: Environment::of(tenant.mode),
        };
        match add_sequence(ports, tenant, grant).await {
            Err(SetupError::Overlaps) => {}
            added => return added.or_fail("the demo merchant was not given numbers"),
        }
    }
    Err(Failure::new("the database has too many demo merchants: no numbers are left"))
}

/// Through the same door as an operator's.
async fn add_certificate(ports: &Ports, tenant: &Tenant) -> Done {
    let now = ports.clock.now();
    let (since, until) = (now - TimeDelta::days(1), now + TimeDelta::days(365 * i64::from(YEARS)));
    let making = tokio::task::spawn_blocking(move || {
        self_signed_certificate("Persona de Prueba", "IDCDO-00100000017", since, until)
    });
    let made =
        making.await.or_fail("the test certificate was not made")?.or_fail("the test certificate was not made")?;
    let opened = read_pkcs12(&made.pkcs12, &made.password).or_fail("the test certificate was not made")?;
    operator::import(ports, tenant, opened).await.map(drop)
}

fn profile(merchant: &MerchantId, mode: Mode, now: DateTime<Utc>) -> Profile {
    Profile {
        legal_name: BoundedText::parse("Comedor La Esquina, S.R.L."),
        rnc: TaxId::parse(DEMO_RNC).ok(),
        display_name: BoundedText::parse("La Esquina"),
        support_phone: BoundedText::parse("809-555-0100"),
        support_email: Email::parse("hola@laesquina.example"),
        permanent_address: Some(Address {
            line1: BoundedText::parse("Calle El Conde 1").expect("a line"),
            line2: None,
            city: BoundedText::parse("Santo Domingo").expect("a line"),
            province: BoundedText::parse("Distrito Nacional"),
            postal_code: None,
            country_code: BoundedText::parse("DO").expect("a line"),
        }),
        statement_descriptor: BoundedText::parse("LA ESQUINA"),
        is_propina_applicable: true,
        is_split_enabled: true,
        version: 1,
        ..Profile::blank(merchant, mode, now)
    }
}
