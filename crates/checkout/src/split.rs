//! What is commanded of a bill that several share: by the use cases that the interface calls, too.

use actix_web::{HttpResponse, http::StatusCode};
use app::{Error, capture_split, delete_split, open_split, release_split, renew_split, replace_split};
use askama::Template;
use domain::{
    Currency, InvalidRequest, Refusal, credential::Scope, refusal::Refused, sale::AmountDraft, split::SplitDraft,
};

use crate::{
    amount::{self, spell},
    command::{At, nothing},
    form::Fields,
    note::Note,
    page::{Frame, Typed},
    payment::page,
    qr::Qr,
    respond::{OURS, respond, say},
    session::{Visit, go_to},
    shared::{SplitWish, people},
};

/// Shares the bill, or shares it otherwise.
pub(crate) async fn cut(at: At, fields: Fields) -> HttpResponse {
    let Some(count) = people(&fields.get("people")) else { return at.back(Some(Note::WrongShares)) };
    let typed: Vec<String> = match fields.get("how").as_str() {
        "equal" => Vec::new(),
        "amounts" => {
            let address = at.visit.address(Some(("people", &count.to_string())));
            return at.visit.dressed(go_to(&at.checkout.base_url, &address));
        }
        _ => (1..=count).map(|it| fields.get(&format!("share-{it}")).to_string()).collect(),
    };
    let wrong = |typed| SplitWish { people: count, typed, is_wrong: true };
    let Some(draft) = draft(&at.visit, count, &typed) else { return again(at, wrong(typed)).await };
    match share(&at, draft).await {
        Err(Error::Refusal(Refusal { code: Refused::InvalidRequest(InvalidRequest::PaymentSplitInvalid), .. }))
            if !typed.is_empty() =>
        {
            again(at, wrong(typed)).await
        }
        outcome => at.told(outcome, None),
    }
}

/// The form as it was filled in, with what is wrong about it.
async fn again(at: At, wish: SplitWish) -> HttpResponse {
    page(at, StatusCode::UNPROCESSABLE_ENTITY, Typed { wish: Some(wish), ..Typed::default() }, None).await
}

/// What was wished; `None` where an amount is none.
fn draft(visit: &Visit, count: u8, typed: &[String]) -> Option<SplitDraft> {
    if typed.is_empty() {
        return Some(SplitDraft::Equal { part_count: count.into() });
    }
    let currency: Currency = visit.sale.payment.facts.amount.currency();
    let amount = |text: &String| {
        let minor_units = amount::read(text)?;
        Some(AmountDraft { currency: currency.code().to_owned(), minor_units })
    };
    typed.iter().map(amount).collect::<Option<Vec<_>>>().map(SplitDraft::Amounts)
}

async fn share(at: &At, draft: SplitDraft) -> Result<(), Error> {
    let (payment, is_shared) = (&at.visit.sale.payment, at.visit.sale.payment.split().is_some());
    let id = payment.facts.id.clone();
    let same = format!("split {draft:?}");
    let key = (format!("split-{}", payment.version()), same.as_str());
    let sharing = at.run(key, |ports, caller, keyed| async move {
        match is_shared {
            false => open_split(&ports, &caller, &keyed, id.as_str(), draft, &nothing).await,
            true => replace_split(&ports, &caller, &keyed, id.as_str(), draft, &nothing).await,
        }
    });
    sharing.await
}

/// What an organizer commands.
#[derive(Clone, Copy, Debug)]
enum Command {
    Capture,
    Release,
    Renew,
    Join,
}

/// Charges, gives back, opens anew, or makes one bill of it again.
pub(crate) async fn command(at: At, _: Fields) -> HttpResponse {
    let command = match at.place("command") {
        "capture" => Command::Capture,
        "release" => Command::Release,
        "renew" => Command::Renew,
        "join" => Command::Join,
        _ => {
            let texts = at.visit.texts;
            return say(&at.checkout, texts, StatusCode::NOT_FOUND, texts.no_payment);
        }
    };
    let payment = &at.visit.sale.payment;
    let id = payment.facts.id.clone();
    let same = format!("{command:?}");
    let key = (format!("{same}-{}", payment.version()), same.as_str());
    let outcome = at.run(key, |ports, caller, keyed| async move {
        let id = id.as_str();
        match command {
            Command::Capture => capture_split(&ports, &caller, &keyed, id, &nothing).await,
            Command::Release => release_split(&ports, &caller, &keyed, id, &nothing).await,
            Command::Renew => renew_split(&ports, &caller, &keyed, id, &nothing).await,
            Command::Join => delete_split(&ports, &caller, &keyed, id, &nothing).await,
        }
    });
    let outcome = outcome.await;
    at.told(outcome, None)
}

/// What hands a share to its payer: a link, and the same as a code to be scanned.
#[derive(Template)]
#[template(path = "hand.html")]
struct HandPage<'a> {
    frame: Frame,
    merchant: &'a str,
    ordinal: u8,
    amount: String,
    qr: Qr,
    /// Message that accompanies the link of a share.
    message: String,
    /// The same message with the link, for messengers that take one text.
    whatsapp: String,
    back: String,
}

/// The page that hands a share to its payer.
pub(crate) async fn hand(mut at: At) -> HttpResponse {
    let ordinal = at.place("ordinal").to_owned();
    at.visit = at.visit.seated(&ordinal);
    let (place, visit) = (&at.checkout.base_url, &at.visit);
    let facts = &visit.sale.payment.facts;
    let may_pay = visit.caller.holder(&[Scope::Pay, Scope::Organizer]).is_ok();
    let part = visit.seat.and_then(|it| visit.sale.payment.split()?.part(it)).filter(|_| may_pay);
    let link = |ordinal| place.address(&format!("/p/{}?part={ordinal}", facts.checkout_link.as_str()));
    let Some((part, qr)) = part.and_then(|it| Some((it, Qr::of(link(it.ordinal))?))) else {
        return at.back(None);
    };
    let (merchant, amount) = (facts.display.merchant.display_name.as_str(), spell(part.share.amount));
    let message = format!("{merchant}: {}, {amount}", visit.texts.please_pay);
    let page = HandPage {
        whatsapp: format!("{message}: {}", qr.address),
        message,
        frame: Frame::of(visit.texts, merchant).scripted(),
        merchant,
        ordinal: part.ordinal,
        amount,
        qr,
        back: place.path(&visit.path()),
    };
    let answer = respond(place, &OURS, StatusCode::OK, &page);
    at.visit.dressed(answer)
}
