use chrono::{NaiveDate, TimeDelta};
use domain::{
    Currency, Mode,
    account::{Account, Lifecycle, Probe, ProbeVerdict, Provider},
    credential::{MerchantKey, Role},
    fiscal::{CertificateFacts, DocumentKind, Environment, IssuerState, NumberRange, TaxId},
    merchant::{Address, CheckoutMode, Profile},
    sale::SaleContext,
    text::{BoundedText, Email},
};
use ports::{SecretLocation, SecretOf, StoredCard, StoredCertificate, StoredSecret};

use super::{account_id, attempt_id, certificate_id, digest, merchant_id, noon, payment_id, tenant};

/// The RNC of the merchant.
pub fn tax_id() -> TaxId {
    TaxId::parse("101850043").expect("a registered number")
}

/// A restaurant that charges the legal tip.
pub fn profile() -> Profile {
    Profile {
        merchant: merchant_id(1),
        mode: Mode::Test,
        legal_name: BoundedText::parse("Comedor La Esquina, S.R.L."),
        rnc: Some(tax_id()),
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
        locale: BoundedText::parse("es-DO").expect("a line"),
        is_propina_applicable: true,
        default_checkout_mode: CheckoutMode::Itemized,
        payment_window: Profile::DEFAULT_WINDOW,
        is_split_enabled: true,
        version: 1,
        updated_at: noon(),
    }
}

/// An active account at the sandbox's acquirer.
pub fn account() -> Account {
    Account {
        id: account_id(1),
        merchant: merchant_id(1),
        mode: Mode::Test,
        provider: Provider::Simulator,
        venue_reference: BoundedText::parse("venue-1"),
        lifecycle: Lifecycle::Active,
        is_mode_enabled: true,
        credential_version: 1,
        currencies: vec![Currency::Dop],
        card_brands: vec!["visa".to_owned(), "mastercard".to_owned()],
        three_ds_programs: vec!["program_a".to_owned(), "program_b".to_owned()],
        wallets: Vec::new(),
        probe: None,
        notified: None,
        created_at: noon(),
    }
}

/// A rejection of the credentials of this version.
pub fn probe(credential_version: u32) -> Probe {
    Probe {
        credential_version,
        verdict: ProbeVerdict::Rejected,
        certificate_until: Some(noon() + TimeDelta::days(9)),
        skew: Some(TimeDelta::milliseconds(-1500)),
        at: noon(),
    }
}

/// The card stored by the `n`th attempt.
pub fn stored_card(n: u32) -> StoredCard {
    let location = SecretLocation { tenant: tenant(), of: SecretOf::Card(attempt_id(n)) };
    let secret = StoredSecret { location, sealed: b"a sealed name".to_vec() };
    StoredCard { secret, payment: payment_id(n), account: account_id(1), provider: Provider::Simulator }
}

/// The `n`th key of the merchant, for everything about sales.
pub fn merchant_key(n: u32) -> MerchantKey {
    MerchantKey {
        digest: digest(n),
        merchant: merchant_id(1),
        mode: Mode::Test,
        role: Role::Standard,
        accounts: Vec::new(),
        may_refund: false,
        hint: "sk_test_0000".to_owned(),
        created_at: noon(),
        ends_at: None,
    }
}

/// A thousand numbers of `kind`, from the first on, valid until the end of 2027.
pub fn range(kind: DocumentKind) -> NumberRange {
    NumberRange {
        issuer: tax_id(),
        environment: Environment::PreCertification,
        kind,
        first: 1,
        last: 1000,
        next: 1,
        valid_until: NaiveDate::from_ymd_opt(2027, 12, 31),
    }
}

/// Facts about a certificate valid for a year.
pub fn certificate() -> CertificateFacts {
    CertificateFacts {
        subject: "CN=Rosa Prueba, SERIALNUMBER=IDCDO-00100000008".to_owned(),
        not_before: noon() - TimeDelta::days(1),
        not_after: noon() + TimeDelta::days(365),
    }
}

/// The `n`th stored certificate. Its bytes are not a certificate.
pub fn stored_certificate(n: u32) -> StoredCertificate {
    StoredCertificate {
        id: certificate_id(n),
        tenant: tenant(),
        facts: certificate(),
        certificate: b"the certificate".to_vec(),
        sealed_key: b"the sealed key".to_vec(),
        imported_at: noon(),
    }
}

/// The context of a merchant that can issue every kind of document.
pub fn sale_context() -> SaleContext {
    SaleContext {
        profile: profile(),
        accounts: vec![account()],
        issuer: IssuerState {
            ranges: DocumentKind::SALE.iter().map(|&kind| range(kind)).collect(),
            certificates: vec![certificate()],
        },
        rate: None,
    }
}
