//! Refusals of a new sale, and their order.

use cobro_domain::{
    Conflict, InvalidRequest, Refusal, Unprocessable,
    account::Lifecycle,
    fiscal::{DocumentKind, GovernmentEligibility, TaxId, TaxTreatment},
    merchant::{CheckoutMode, Profile},
    sale::{SaleContext, SaleDraft},
    text::BoundedText,
};

use crate::{
    breakdown::{line, tipped},
    support::{context, draft, noon, open},
};

/// Opens the sample sale after `change`, and returns the refusal.
#[track_caller]
fn refused(change: impl FnOnce(&mut SaleDraft, &mut SaleContext)) -> Refusal {
    let (mut draft, mut context) = (draft(), context());
    change(&mut draft, &mut context);
    open(draft, &context).expect_err("the sale is refused")
}

#[track_caller]
fn check(
    change: impl FnOnce(&mut SaleDraft, &mut SaleContext),
    code: impl Into<cobro_domain::refusal::Refused>,
    param: &str,
) {
    let refusal = refused(change);
    assert_eq!((refusal.code, refusal.param.as_deref().unwrap_or("-")), (code.into(), param));
}

#[test]
fn amounts_have_a_currency_and_bounds() {
    check(|it, _| it.amount.currency = "JPY".to_owned(), InvalidRequest::CurrencyNotSupported, "amount.currency");
    check(|it, _| it.amount.minor_units = 0, InvalidRequest::AmountBelowMinimum, "amount.minorUnits");
    check(|it, _| it.amount.minor_units = -1, InvalidRequest::AmountBelowMinimum, "amount.minorUnits");
    check(|it, _| it.amount.minor_units = i64::MAX, InvalidRequest::AmountAboveMaximum, "amount.minorUnits");
}

#[test]
fn a_buyer_has_a_valid_number() {
    let wrong = |it: &mut SaleDraft, _: &mut SaleContext| it.document.buyer_tax_id = BoundedText::parse("101850044");

    check(wrong, InvalidRequest::FiscalBuyerTaxIdInvalid, "fiscalDocument.buyer.taxId");
}

#[test]
fn a_listed_buyer_may_have_a_wrong_check_digit() {
    let listed = TaxId::well_formed("00000021249").ok();
    let opened = |number: &str| {
        let mut draft = draft();
        draft.document.buyer_tax_id = BoundedText::parse(number);
        draft.document.listed_buyer = listed.clone();
        open(draft, &context()).map(|sale| sale.document.content().buyer.clone().map(|it| it.tax_id))
    };

    assert_eq!(opened("000-0002124-9"), Ok(listed.clone()));
    // Only the listed number is exempt.
    assert!(opened("00000021248").is_err());
}

#[test]
fn something_must_be_sold() {
    let lines = "fiscalDocument.lines";

    check(|it, _| it.document.lines.clear(), InvalidRequest::FiscalLinesRequired, lines);
    let nothing = |it: &mut SaleDraft, _: &mut SaleContext| {
        it.document.lines = vec![line(TaxTreatment::NonBillable, "1", 100)];
    };
    check(nothing, InvalidRequest::FiscalLinesRequired, lines);
}

#[test]
fn a_locked_buyer_that_is_missing_can_never_come() {
    let locked = |it: &mut SaleDraft, _: &mut SaleContext| {
        it.document.kind = DocumentKind::FiscalCredit;
        it.document.is_buyer_locked = true;
    };

    check(locked, Conflict::FiscalBuyerRequired, "fiscalDocument.buyer");
}

#[test]
fn the_merchant_must_be_able_to_sell() {
    let incomplete = refused(|_, it| it.profile.support_phone = None);
    assert_eq!(incomplete.code, Unprocessable::MerchantProfileIncomplete.into());
    assert!(incomplete.to_string().contains("supportPhone"));

    let terse = |it: &mut SaleDraft, _: &mut SaleContext| it.display_mode = Some(CheckoutMode::AmountOnly);
    check(terse, Unprocessable::PaymentDescriptionRequired, "description");
    check(|_, it| it.accounts.clear(), Unprocessable::NoEligibleProvider, "-");
    check(|_, it| it.accounts[0].lifecycle = Lifecycle::Suspended, Unprocessable::NoEligibleProvider, "-");
    check(|_, it| it.issuer.ranges.clear(), Unprocessable::MerchantAccountNotReady, "-");
}

/// Every field of a document or of its checkout.
#[test]
fn an_incomplete_profile_is_named_field_by_field() {
    let blank = Profile::blank(&context().profile.merchant, context().profile.mode, noon());
    for field in blank.missing_fields() {
        let refusal = refused(|_, it| match field {
            "legalName" => it.profile.legal_name = None,
            "rnc" => it.profile.rnc = None,
            "displayName" => it.profile.display_name = None,
            "supportPhone" => it.profile.support_phone = None,
            "permanentAddress" => it.profile.permanent_address = None,
            "statementDescriptor" => it.profile.statement_descriptor = None,
            other => panic!("{other} is new"),
        });
        assert_eq!(refusal.code, Unprocessable::MerchantProfileIncomplete.into());
        assert_eq!(refusal.to_string(), format!("The merchant profile lacks: {field}."));
    }
}

#[test]
fn a_kind_without_numbers_or_certificate_is_named() {
    let kind = "fiscalDocument.kind";
    let used_up = |_: &mut SaleDraft, it: &mut SaleContext| {
        let consumer = it.issuer.ranges.iter_mut().filter(|it| it.kind == DocumentKind::Consumer);
        consumer.for_each(|it| it.next = it.last + 1);
    };
    let over = |_: &mut SaleDraft, it: &mut SaleContext| {
        it.issuer.ranges.iter_mut().for_each(|it| it.valid_until = noon().date_naive().pred_opt());
    };

    check(used_up, Unprocessable::MerchantAccountNotReady, kind);
    check(over, Unprocessable::MerchantAccountNotReady, kind);
    check(|_, it| it.issuer.certificates.clear(), Unprocessable::MerchantAccountNotReady, kind);
    assert!(refused(used_up).to_string().contains("`consumer`"));
    check(
        |draft, it| {
            used_up(draft, it);
            it.accounts[0].credential_version = 0;
            it.accounts[0].provider = cobro_domain::account::Provider::Azul;
        },
        Unprocessable::MerchantAccountNotReady,
        "-",
    );
}

#[test]
fn the_kind_must_be_allowed_and_possible() {
    let kind = "fiscalDocument.kind";
    let not_allowed = |it: &mut SaleDraft, _: &mut SaleContext| {
        it.document.allowed_kinds = Some(vec![DocumentKind::FiscalCredit]);
    };
    let no_range =
        |_: &mut SaleDraft, it: &mut SaleContext| it.issuer.ranges.retain(|it| it.kind != DocumentKind::Consumer);

    check(not_allowed, Unprocessable::FiscalDocumentKindNotAllowed, kind);
    check(no_range, Unprocessable::FiscalDocumentKindUnsupported, kind);
}

#[test]
fn only_government_documents_have_an_eligibility() {
    let eligibility = "fiscalDocument.governmentEligibility";
    let missing = |it: &mut SaleDraft, _: &mut SaleContext| it.document.kind = DocumentKind::Government;
    let unasked = |it: &mut SaleDraft, _: &mut SaleContext| {
        it.document.government =
            Some(GovernmentEligibility { authority_reference: BoundedText::parse("OC-1").unwrap() });
    };

    check(missing, Unprocessable::FiscalGovernmentEligibilityRequired, eligibility);
    check(unasked, Unprocessable::FiscalGovernmentEligibilityNotAllowed, eligibility);
}

#[test]
fn the_legal_tip_is_never_silently_zero_or_ten_percent() {
    let flagged = |it: &mut SaleDraft, context: &mut SaleContext| {
        context.profile.is_propina_applicable = false;
        it.document.lines = vec![tipped(line(TaxTreatment::Itbis18, "1", 1_000_00))];
    };

    check(flagged, Unprocessable::FiscalLineLegalTipInvalid, "fiscalDocument.lines.0.isLegalTipApplicable");
}

#[test]
fn one_centavo_off_is_a_mismatch_that_names_both_numbers() {
    for stated in [117_999, 118_001] {
        let refusal = refused(|it, _| it.amount.minor_units = stated);

        assert_eq!(refusal.code, Unprocessable::FiscalTotalMismatch.into());
        assert_eq!(refusal.param.as_deref(), Some("amount.minorUnits"));
        assert!(refusal.to_string().contains(&stated.to_string()) && refusal.to_string().contains("118000"));
    }
}

#[test]
fn dollars_require_an_account_and_a_rate() {
    let dollars = |it: &mut SaleDraft, _: &mut SaleContext| it.amount.currency = "USD".to_owned();
    let dollar_account = |it: &mut SaleDraft, context: &mut SaleContext| {
        it.amount.currency = "USD".to_owned();
        it.document.kind = DocumentKind::FiscalCredit;
        context.accounts[0].currencies.push(cobro_domain::Currency::Usd);
    };

    check(dollars, Unprocessable::CurrencyNotSupportedByProvider, "amount.currency");
    check(dollar_account, Unprocessable::CurrencyNotSupportedForFiscalDocument, "amount.currency");
}

/// Removes one fault.
type Mend<'a> = dyn Fn(&mut SaleDraft, &mut SaleContext) + 'a;

/// With every fault at once: each refusal appears only without those before it.
#[test]
fn faults_are_answered_in_the_published_order() {
    let (mut draft, mut context) = (draft(), context());
    draft.amount.currency = "JPY".to_owned();
    draft.amount.minor_units = 0;
    draft.document.buyer_tax_id = BoundedText::parse("1");
    draft.document.lines = Vec::new();
    draft.display_mode = Some(CheckoutMode::AmountOnly);
    draft.document.allowed_kinds = Some(vec![DocumentKind::Government]);
    draft.document.government =
        Some(GovernmentEligibility { authority_reference: BoundedText::parse("OC-1").unwrap() });
    context.profile.legal_name = None;
    let whole_account = context.accounts.clone();
    context.accounts.clear();

    let mut answers = Vec::new();
    let mends: [&Mend<'_>; 10] = [
        &|it, _| it.amount.currency = "DOP".to_owned(),
        &|it, _| it.amount.minor_units = 1_180_01,
        &|it, _| it.document.buyer_tax_id = None,
        &|it, _| it.document.lines = vec![line(TaxTreatment::Itbis18, "1", 1_000_00)],
        &|_, it| it.profile.legal_name = BoundedText::parse("Comedor"),
        &|it, _| it.description = BoundedText::parse("Cena"),
        &|_, it| it.accounts = whole_account.clone(),
        &|it, _| it.document.allowed_kinds = None,
        &|it, _| it.document.government = None,
        &|it, _| it.amount.minor_units = 1_180_00,
    ];
    for mend in mends {
        answers.push(open(draft.clone(), &context).unwrap_err().code.as_str());
        mend(&mut draft, &mut context);
    }

    assert_eq!(
        answers,
        [
            "currency_not_supported",
            "amount_below_minimum",
            "fiscal_buyer_tax_id_invalid",
            "fiscal_lines_required",
            "merchant_profile_incomplete",
            "payment_description_required",
            "no_eligible_provider",
            "fiscal_document_kind_not_allowed",
            "fiscal_government_eligibility_not_allowed",
            "fiscal_total_mismatch",
        ]
    );
    assert!(open(draft, &context).is_ok());
}
