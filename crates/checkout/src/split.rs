//! What is commanded of a bill that several share: by the use cases that the interface calls, too.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Path, Payload},
};
use app::{Error, capture_split, delete_split, open_split, release_split, renew_split, replace_split};
use askama::Template;
use domain::{
    Currency, InvalidRequest, Refusal, credential::Scope, refusal::Refused, sale::AmountDraft, split::SplitDraft,
};

use crate::{
    amount::{self, spell},
    command::{back, nothing, received, run, told},
    form::CardFaults,
    note::Note,
    page::Frame,
    payment::page,
    place::Checkout,
    qr::Qr,
    respond::{OURS, respond, say},
    session::{Visit, go_to},
    shared::{SplitWish, people},
};

/// Shares the bill, or shares it otherwise.
pub(crate) async fn cut(
    checkout: Data<Checkout>,
    name: Path<String>,
    request: HttpRequest,
    body: Payload,
) -> HttpResponse {
    let (visit, fields) = match received(&checkout, &name, &request, body).await {
        Ok(received) => received,
        Err(answer) => return answer,
    };
    let Some(count) = people(&fields.get("people")) else { return back(&checkout, visit, Some(Note::WrongShares)) };
    let typed: Vec<String> = match fields.get("how").as_str() {
        "equal" => Vec::new(),
        "amounts" => {
            let address = visit.address(Some(("people", &count.to_string())));
            return visit.dressed(go_to(&checkout.place, &address));
        }
        _ => (1..=count).map(|it| fields.get(&format!("share-{it}")).to_string()).collect(),
    };
    let wrong = |typed| SplitWish { people: count, typed, is_wrong: true };
    let Some(draft) = draft(&visit, count, &typed) else { return again(&checkout, visit, wrong(typed)).await };
    match share(&checkout, &visit, draft, &request).await {
        Err(Error::Refusal(Refusal { code: Refused::InvalidRequest(InvalidRequest::PaymentSplitInvalid), .. }))
            if !typed.is_empty() =>
        {
            again(&checkout, visit, wrong(typed)).await
        }
        outcome => told(&checkout, visit, outcome, None),
    }
}

/// The form as it was filled in, with what is wrong about it.
async fn again(checkout: &Checkout, visit: Visit, wish: SplitWish) -> HttpResponse {
    page(checkout, visit, StatusCode::UNPROCESSABLE_ENTITY, (CardFaults::default(), Some(wish)), None).await
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

async fn share(checkout: &Checkout, visit: &Visit, draft: SplitDraft, request: &HttpRequest) -> Result<(), Error> {
    let (payment, is_shared) = (&visit.sale.payment, visit.sale.payment.split().is_some());
    let id = payment.facts.id.clone();
    let same = format!("split {draft:?}");
    let key = (format!("split-{}", payment.version()), same.as_str());
    let sharing = run(checkout, visit, request, key, |ports, caller, keyed| async move {
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
pub(crate) async fn command(
    checkout: Data<Checkout>,
    path: Path<(String, String)>,
    request: HttpRequest,
    body: Payload,
) -> HttpResponse {
    let (name, command) = path.into_inner();
    let (visit, _) = match received(&checkout, &name, &request, body).await {
        Ok(received) => received,
        Err(answer) => return answer,
    };
    let command = match command.as_str() {
        "capture" => Command::Capture,
        "release" => Command::Release,
        "renew" => Command::Renew,
        "join" => Command::Join,
        _ => return say(&checkout, visit.texts, StatusCode::NOT_FOUND, visit.texts.no_payment),
    };
    let payment = &visit.sale.payment;
    let id = payment.facts.id.clone();
    let same = format!("{command:?}");
    let key = (format!("{same}-{}", payment.version()), same.as_str());
    let outcome = run(&checkout, &visit, &request, key, |ports, caller, keyed| async move {
        let id = id.as_str();
        match command {
            Command::Capture => capture_split(&ports, &caller, &keyed, id, &nothing).await,
            Command::Release => release_split(&ports, &caller, &keyed, id, &nothing).await,
            Command::Renew => renew_split(&ports, &caller, &keyed, id, &nothing).await,
            Command::Join => delete_split(&ports, &caller, &keyed, id, &nothing).await,
        }
    });
    let outcome = outcome.await;
    told(&checkout, visit, outcome, None)
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
    back: String,
}

/// The page that hands a share to its payer.
pub(crate) async fn hand(checkout: Data<Checkout>, path: Path<(String, String)>, request: HttpRequest) -> HttpResponse {
    let (name, ordinal) = path.into_inner();
    let visit = match Visit::of(&checkout, &name, &request).await {
        Ok(visit) => visit.seated(&ordinal),
        Err(answer) => return answer,
    };
    let Checkout { place, .. } = checkout.as_ref();
    let facts = &visit.sale.payment.facts;
    let may_pay = visit.caller.holder(&[Scope::Pay, Scope::Organizer]).is_ok();
    let part = visit.seat.and_then(|it| visit.sale.payment.split()?.part(it)).filter(|_| may_pay);
    let link = |ordinal| place.address(&format!("/p/{}?part={ordinal}", facts.checkout_link.as_str()));
    let Some((part, qr)) = part.and_then(|it| Some((it, Qr::of(link(it.ordinal))?))) else {
        return back(&checkout, visit, None);
    };
    let page = HandPage {
        frame: Frame::of(place, visit.texts, facts.display.merchant.display_name.as_str()).scripted(place),
        merchant: facts.display.merchant.display_name.as_str(),
        ordinal: part.ordinal,
        amount: spell(part.share.amount),
        qr,
        back: place.path(&visit.path()),
    };
    let answer = respond(place, OURS, StatusCode::OK, &page);
    visit.dressed(answer)
}
