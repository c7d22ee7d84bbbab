use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Currency, Money,
    account::AccountSelector,
    attempt::{Attempt, AttemptKind, AttemptState, CardSummary},
    credential::{CheckoutToken, Scope},
    fiscal::{
        Acceptance, DocumentEmail, DocumentKind, FiscalLine, FiscalNumber, IssuanceMode, ItemKind, MeasurementUnit,
        Numbered, Printed, ProblemCode, Quantity, Signed, TaxTreatment, Verdict,
    },
    mailing::Mailing,
    money::AmountLimits,
    payment::ProviderOutcome,
    sale::{AmountDraft, DocumentDraft, Sale, SaleDraft, SaleIds},
    text::{BoundedText, Digits, Email},
};

use super::{
    attempt_id, checkout_reference, digest, document_id, merchant_id, noon, payment_id, sale_context, symbols, tenant,
    today,
};

/// One dish at `unit_price_minor_units`, with ITBIS of 18 % and the legal tip.
pub fn line(unit_price_minor_units: i64) -> FiscalLine {
    FiscalLine {
        source_line_id: BoundedText::parse("line-1").expect("a line"),
        description: BoundedText::parse("Mofongo").expect("a line"),
        quantity: Quantity::parse("1").expect("a quantity"),
        measurement_unit: MeasurementUnit::Unit,
        unit_price_minor_units,
        item_kind: ItemKind::Good,
        tax_treatment: TaxTreatment::Itbis18,
        is_legal_tip_applicable: true,
        group: None,
    }
}

/// One dish at 1,000.00, which is 1,280.00 with tax and tip, on a consumer document.
pub fn draft() -> SaleDraft {
    SaleDraft {
        sale_reference: BoundedText::parse("table-7").expect("a line"),
        amount: AmountDraft { currency: "DOP".to_owned(), minor_units: 1_280_00 },
        return_url: None,
        service_label: None,
        description: None,
        display_mode: None,
        metadata: None,
        document: DocumentDraft {
            issuance_mode: IssuanceMode::Deferred,
            kind: DocumentKind::Consumer,
            merchant_invoice_number: BoundedText::parse("F-0001").expect("a line"),
            merchant_order_number: Digits::parse("0001").expect("digits"),
            lines: vec![line(1_000_00)],
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

/// Identifiers of the `n`th sale.
pub fn sale_ids(n: u32) -> SaleIds {
    SaleIds {
        payment: payment_id(n),
        document: document_id(n),
        checkout_reference: checkout_reference(n),
        checkout_link: symbols(n),
    }
}

/// The `n`th sale, opened at [`noon`] and waiting for the customer.
pub fn sale(n: u32) -> Sale {
    draft()
        .open(sale_ids(n), &sale_context(), &AccountSelector::default(), &AmountLimits::default(), noon())
        .unwrap_or_else(|refusal| panic!("the sample is valid: {refusal:?}"))
}

/// The `n`th sale, paid by its first attempt at [`noon`]: its document is due.
pub fn paid(n: u32) -> Sale {
    let mut sale = sale(n);
    sale.submit(attempt_id(n), card(), noon()).expect("a new sale takes a card");
    sale.apply_outcome(&attempt_id(n), ProviderOutcome::Approved, noon()).expect("a card in flight is answered");
    sale
}

/// The `n`th sale, paid and its document accepted, all at [`noon`].
pub fn issued(n: u32) -> Sale {
    submitted(n, signed(n), Verdict::Accepted(Acceptance::Accepted), noon())
}

/// The `n`th sale, paid and its document submitted with this signature, with this verdict at `at`.
pub fn submitted(n: u32, signed: Signed, verdict: Verdict, at: DateTime<Utc>) -> Sale {
    let mut sale = paid(n);
    let document = &mut sale.document;
    document.numbered(numbered(n), noon()).expect("an issuing document takes a number");
    document.signed(signed, noon()).expect("a numbered document is signed");
    document.submitting(noon()).expect("a signed document is sent");
    document.apply_verdict(verdict, at).expect("a sent document is answered");
    sale
}

/// A rejection without messages.
pub fn rejected(code: ProblemCode, is_number_spent: bool) -> Verdict {
    Verdict::Rejected { code, is_number_spent, authority_messages: Vec::new() }
}

/// The `n`th number of a consumer document, assigned at [`noon`].
pub fn numbered(n: u32) -> Numbered {
    let number = FiscalNumber::new(DocumentKind::Consumer, n.into()).expect("a sequence from 1 on");
    Numbered { number, valid_until: None, issue_date: today() }
}

/// The `n`th signature, made at [`noon`].
pub fn signed(n: u32) -> Signed {
    let printed = Some(Printed { sha256: digest(n + 500), size_bytes: 4096 });
    Signed { at: noon(), security_code: "aB3+/=".to_owned(), sha256: digest(n), size_bytes: 2048, printed }
}

/// Stored facts of a card.
pub fn card() -> CardSummary {
    CardSummary { brand: Some("visa".to_owned()), last4: Some("1111".to_owned()) }
}

/// The delivery with that number of the `n`th sale's document, requested at [`noon`].
pub fn delivery(n: u32, number: u32) -> DocumentEmail {
    let email = Email::parse("rosa@correo.example").expect("an address");
    DocumentEmail { document: document_id(n), number, email, at: noon(), mailing: Mailing::waiting() }
}

/// The first attempt on the `n`th sale, with an unknown state at the provider.
pub fn attempt(n: u32) -> Attempt {
    Attempt {
        id: attempt_id(n),
        payment: payment_id(n),
        number: 1,
        part: None,
        refund: None,
        kind: AttemptKind::Sale,
        amount: Money::new(1_280_00, Currency::Dop),
        card: Some(card()),
        link: None,
        started_at: noon(),
        state: AttemptState::Open,
        provider_reference: None,
        updated_at: noon(),
    }
}

/// The `n`th token, for the payment of the `n`th sale.
pub fn token(n: u32) -> CheckoutToken {
    CheckoutToken {
        digest: digest(n),
        merchant: merchant_id(1),
        mode: tenant().mode,
        payment: payment_id(n),
        scope: Scope::Pay,
        expires_at: noon() + TimeDelta::hours(24) + CheckoutToken::PAY_GRACE,
        session: None,
    }
}
