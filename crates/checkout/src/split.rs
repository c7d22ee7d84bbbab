//! Commands on a split, by the same use cases as the API, and the page that shares the link of a part.

use actix_web::{HttpResponse, http::StatusCode};
use app::{Error, capture_split, delete_split, open_split, release_split, renew_split, replace_split};
use askama::Template;
use domain::{InvalidRequest, Refusal, credential::Scope, refusal::Refused, sale::AmountDraft, split::SplitDraft};

use crate::{
    amount::{format_amount, parse_amount},
    form::Fields,
    frame::Frame,
    note::Note,
    page_request::{PageRequest, no_body},
    payment::render_page,
    qr::Qr,
    respond::{PAGE_POLICY, message_page, redirect, render},
    session::CheckoutPageContext,
    shares::parse_people,
    view::{FormInput, SplitInput},
};

/// Splits the payment, or replaces its split.
pub(crate) async fn change(request: PageRequest, fields: Fields) -> HttpResponse {
    let Some(people) = parse_people(&fields.get("people")) else { return request.redirect(Some(Note::WrongShares)) };
    let amounts: Vec<String> = match fields.get("how").as_str() {
        "equal" => Vec::new(),
        "amounts" => {
            let path = request.context.path_with(Some(("people", &people.to_string())));
            return request.context.with_cookie(redirect(&request.checkout.base_url, &path));
        }
        _ => (1..=people).map(|it| fields.get(&format!("share-{it}")).to_string()).collect(),
    };
    let wrong = |amounts| SplitInput { people, amounts, is_wrong: true };
    let Some(draft) = draft(&request.context, people, &amounts) else {
        return split_form(request, wrong(amounts)).await;
    };
    match apply(&request, draft).await {
        Err(Error::Refusal(Refusal { code: Refused::InvalidRequest(InvalidRequest::PaymentSplitInvalid), .. }))
            if !amounts.is_empty() =>
        {
            split_form(request, wrong(amounts)).await
        }
        outcome => request.redirect_with_outcome(outcome, None),
    }
}

/// Shows the form with its input and the fault.
async fn split_form(request: PageRequest, split: SplitInput) -> HttpResponse {
    let form = FormInput { split: Some(split), ..FormInput::default() };
    render_page(request, StatusCode::UNPROCESSABLE_ENTITY, form, None).await
}

/// Returns `None` if an amount is invalid.
fn draft(context: &CheckoutPageContext, people: u8, amounts: &[String]) -> Option<SplitDraft> {
    if amounts.is_empty() {
        return Some(SplitDraft::Equal { part_count: people.into() });
    }
    let currency = context.sale.payment.facts.amount.currency();
    let amount = |text: &String| {
        let minor_units = parse_amount(text)?;
        Some(AmountDraft { currency: currency.code().to_owned(), minor_units })
    };
    amounts.iter().map(amount).collect::<Option<Vec<_>>>().map(SplitDraft::Amounts)
}

async fn apply(request: &PageRequest, draft: SplitDraft) -> Result<(), Error> {
    let payment = &request.context.sale.payment;
    let (id, is_split) = (payment.facts.id.clone(), payment.split().is_some());
    let fingerprint_input = format!("split {draft:?}");
    let key = (format!("split-{}", payment.version()), fingerprint_input.as_str());
    let command = request.run(key, |ports, caller, keyed| async move {
        match is_split {
            false => open_split(&ports, &caller, &keyed, id.as_str(), draft, &no_body).await,
            true => replace_split(&ports, &caller, &keyed, id.as_str(), draft, &no_body).await,
        }
    });
    command.await
}

#[derive(Clone, Copy, Debug)]
enum SplitCommand {
    Capture,
    Release,
    Renew,
    Join,
}

/// Runs the organizer's command in the path.
pub(crate) async fn command(request: PageRequest, _: Fields) -> HttpResponse {
    let command = match request.path_parameter("command") {
        "capture" => SplitCommand::Capture,
        "release" => SplitCommand::Release,
        "renew" => SplitCommand::Renew,
        "join" => SplitCommand::Join,
        _ => {
            let texts = request.context.texts;
            return message_page(&request.checkout, texts, StatusCode::NOT_FOUND, texts.no_payment);
        }
    };
    let payment = &request.context.sale.payment;
    let (id, name) = (payment.facts.id.clone(), format!("{command:?}"));
    let key = (format!("{name}-{}", payment.version()), name.as_str());
    let running = request.run(key, |ports, caller, keyed| async move {
        let id = id.as_str();
        match command {
            SplitCommand::Capture => capture_split(&ports, &caller, &keyed, id, &no_body).await,
            SplitCommand::Release => release_split(&ports, &caller, &keyed, id, &no_body).await,
            SplitCommand::Renew => renew_split(&ports, &caller, &keyed, id, &no_body).await,
            SplitCommand::Join => delete_split(&ports, &caller, &keyed, id, &no_body).await,
        }
    });
    let outcome = running.await;
    request.redirect_with_outcome(outcome, None)
}

/// Page with the link of a part, as text and as QR code.
#[derive(Template)]
#[template(path = "share_link.html")]
struct ShareLinkPage<'a> {
    frame: Frame,
    merchant: &'a str,
    ordinal: u8,
    amount: String,
    qr: Qr,
    /// Message that accompanies the link.
    message: String,
    /// Message with the link, for messengers that accept one text.
    whatsapp: String,
    overview_path: String,
}

pub(crate) async fn share_link(mut request: PageRequest) -> HttpResponse {
    let ordinal = request.path_parameter("ordinal").to_owned();
    request.context = request.context.at_part(&ordinal);
    let (base_url, context) = (&request.checkout.base_url, &request.context);
    let facts = &context.sale.payment.facts;
    let may_pay = context.caller.holder(&[Scope::Pay, Scope::Organizer]).is_ok();
    let part = context.part_ordinal.and_then(|it| context.sale.payment.split()?.part(it)).filter(|_| may_pay);
    let link = |ordinal| base_url.url(&format!("/p/{}?part={ordinal}", facts.checkout_link.as_str()));
    let Some((part, qr)) = part.and_then(|it| Some((it, Qr::of(link(it.ordinal))?))) else {
        return request.redirect(None);
    };
    let (merchant, amount) = (facts.display.merchant.display_name.as_str(), format_amount(part.share.amount));
    let message = format!("{merchant}: {}, {amount}", context.texts.please_pay);
    let page = ShareLinkPage {
        whatsapp: format!("{message}: {}", qr.url),
        message,
        frame: Frame::of(context.texts, merchant).scripted(),
        merchant,
        ordinal: part.ordinal,
        amount,
        qr,
        overview_path: base_url.path(&context.path()),
    };
    let response = render(base_url, &PAGE_POLICY, StatusCode::OK, &page);
    request.context.with_cookie(response)
}
