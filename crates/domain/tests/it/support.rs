//! A merchant, an account and a sale that are valid and boring.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use cobro_domain::{
    AttemptId, CheckoutReference, Currency, FiscalDocumentId, MerchantAccountId, MerchantId, Mode, PaymentId, Symbols,
    account::{Account, AccountSelector, Lifecycle, Provider},
    attempt::CardSummary,
    fiscal::{CertificateFacts, DocumentKind, Environment, IssuanceMode, IssuerState, NumberRange, TaxId},
    merchant::{Address, CheckoutMode, Profile},
    money::AmountLimits,
    sale::{AmountDraft, DocumentDraft, Sale, SaleContext, SaleDraft, SaleIds},
    text::{BoundedText, Digits},
};

use crate::breakdown::line;

pub(crate) fn noon() -> DateTime<Utc> {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

pub(crate) fn after(seconds: i64) -> DateTime<Utc> {
    noon() + TimeDelta::seconds(seconds)
}

pub(crate) fn symbols(n: u32) -> Symbols {
    Symbols::parse(&format!("{n:026}")).unwrap()
}

pub(crate) fn attempt(n: u32) -> AttemptId {
    AttemptId::new(&symbols(n))
}

pub(crate) fn card() -> CardSummary {
    CardSummary { brand: Some("visa".to_owned()), last4: Some("0008".to_owned()) }
}

pub(crate) fn context() -> SaleContext {
    let merchant = MerchantId::new(&symbols(1));
    let profile = Profile {
        merchant: merchant.clone(),
        mode: Mode::Test,
        legal_name: BoundedText::parse("Comedor La Esquina, SRL"),
        rnc: Some(TaxId::parse("101850043").unwrap()),
        display_name: BoundedText::parse("La Esquina"),
        support_phone: BoundedText::parse("809-555-0100"),
        support_email: None,
        permanent_address: Some(Address {
            line1: BoundedText::parse("Calle El Conde 1").unwrap(),
            line2: None,
            city: BoundedText::parse("Santo Domingo").unwrap(),
            province: None,
            postal_code: None,
            country_code: BoundedText::parse("DO").unwrap(),
        }),
        statement_descriptor: BoundedText::parse("LA ESQUINA"),
        locale: BoundedText::parse("es-DO").unwrap(),
        is_propina_applicable: true,
        default_checkout_mode: CheckoutMode::Itemized,
        payment_window: Profile::DEFAULT_WINDOW,
        is_split_enabled: true,
        version: 1,
        updated_at: noon(),
    };
    let account = Account {
        id: MerchantAccountId::new(&symbols(1)),
        merchant,
        mode: Mode::Test,
        provider: Provider::Simulator,
        venue_reference: None,
        lifecycle: Lifecycle::Active,
        is_mode_enabled: true,
        credential_version: 1,
        currencies: vec![Currency::Dop],
        card_brands: Vec::new(),
        three_ds_programs: vec!["program_a".to_owned()],
        wallets: Vec::new(),
        probe: None,
        notified: None,
        created_at: noon(),
    };
    let certificate = CertificateFacts {
        subject: "CN=Rosa Prueba".to_owned(),
        not_before: noon() - TimeDelta::days(1),
        not_after: noon() + TimeDelta::days(365),
    };
    let ranges = DocumentKind::SALE.iter().map(|&kind| range(kind)).collect();
    let issuer = IssuerState { ranges, certificates: vec![certificate] };
    SaleContext { profile, accounts: vec![account], issuer, rate: None }
}

pub(crate) fn range(kind: DocumentKind) -> NumberRange {
    NumberRange {
        issuer: TaxId::parse("101850043").unwrap(),
        environment: Environment::PreCertification,
        kind,
        first: 1,
        last: 1000,
        next: 1,
        valid_until: NaiveDate::from_ymd_opt(2027, 12, 31),
    }
}

/// One service at 1,000.00 and ITBIS: 1,180.00 on a consumer document.
pub(crate) fn draft() -> SaleDraft {
    SaleDraft {
        sale_reference: BoundedText::parse("table-7").unwrap(),
        amount: AmountDraft { currency: "DOP".to_owned(), minor_units: 1_180_00 },
        return_url: None,
        service_label: None,
        description: None,
        display_mode: None,
        metadata: None,
        document: DocumentDraft {
            issuance_mode: IssuanceMode::Deferred,
            kind: DocumentKind::Consumer,
            merchant_invoice_number: BoundedText::parse("F-1").unwrap(),
            merchant_order_number: Digits::parse("1").unwrap(),
            lines: vec![line(cobro_domain::fiscal::TaxTreatment::Itbis18, "1", 1_000_00)],
            delivery_email: None,
            buyer_tax_id: None,
            listed_buyer: None,
            government: None,
            allowed_kinds: None,
            is_kind_locked: false,
            is_buyer_locked: false,
        },
    }
}

pub(crate) fn open(draft: SaleDraft, context: &SaleContext) -> Result<Sale, cobro_domain::Refusal> {
    let names = SaleIds {
        payment: PaymentId::new(&symbols(1)),
        document: FiscalDocumentId::new(&symbols(1)),
        checkout_reference: CheckoutReference::new(&symbols(1)),
        checkout_link: symbols(1),
    };
    draft.open(names, context, &AccountSelector::default(), &AmountLimits::default(), noon())
}

pub(crate) fn sale() -> Sale {
    open(draft(), &context()).unwrap()
}
