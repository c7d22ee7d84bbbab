use app::operators::{find_payments, inspect_payment, refunds_of_payment};
use azul::{attempt_endings, order_number};
use domain::{
    Payment, PaymentId,
    account::Provider,
    attempt::{Attempt, AttemptKind, AttemptState, CardSummary},
    payment::{Decline, Stage, Verification},
    sale::Sale,
    split::{Part, PartStage},
};
use ports::{Page, SaleFilter, SaleSearch};
use serde_json::{Map, Value, json};

use super::{document::of_document, listed, owners, print, print_line, refund::of_record};
use crate::{
    config::{DatabaseOptions, PaymentCommand},
    failure::{Context, Done, Failure},
    stores::Stores,
};

/// Fields of one object in the order for people.
type Fields = Vec<(&'static str, Value)>;

pub(crate) async fn run(command: PaymentCommand) -> Done {
    match command {
        PaymentCommand::Show { database, payment, json } => show(&database, &payment, json).await,
        PaymentCommand::Find { database, of, text } => {
            let stores = Stores::postgres(&database.url()?).await?;
            let owners = owners(&*stores.database, &of).await?;
            let found =
                find_payments(&owners, (&*stores.database, &*stores.database), &text, attempt_endings(&text)).await;
            let found = found.or_fail("the payments cannot be read")?;
            if found.is_empty() {
                return Err(Failure::new("no payment matches"));
            }
            found.iter().try_for_each(|sale| print(&in_short(sale)))
        }
        PaymentCommand::List { list, status, limit } => {
            let (stores, tenants) = listed(&list).await?;
            let search: &dyn SaleSearch = &*stores.database;
            let filter = SaleFilter { status, ..SaleFilter::default() };
            for tenant in tenants {
                let found = search.search(&tenant, &filter, &Page { after: None, limit }).await;
                found.or_fail("the payments cannot be read")?.iter().try_for_each(|sale| print(&in_short(sale)))?;
            }
            Ok(())
        }
    }
}

/// Identifying fields of a payment.
fn in_short(sale: &Sale) -> Value {
    let (facts, content) = (&sale.payment.facts, sale.document.content());
    json!({
        "paymentId": facts.id.as_str(),
        "merchantId": facts.merchant.as_str(),
        "mode": facts.mode.as_str(),
        "status": sale.payment.status().as_str(),
        "totalAmount": sale.payment.total_amount().to_string(),
        "createdAt": facts.created_at.to_rfc3339(),
        "saleReference": facts.sale_reference.as_str(),
        "merchantInvoiceNumber": content.merchant_invoice_number.as_str(),
        "documentId": sale.document.facts.id.as_str(),
        "documentStatus": sale.document.status().as_str(),
        "number": of_document(&sale.document)["number"],
    })
}

/// Prints the fields that find a payment at the acquirer. They contain no secret.
async fn show(database: &DatabaseOptions, payment: &PaymentId, json: bool) -> Done {
    let stores = Stores::postgres(&database.url()?).await?;
    let found = inspect_payment(&*stores.database, (&*stores.database, &*stores.database), payment).await;
    let (sale, attempts) = found.or_fail("the payment cannot be shown")?;

    let fields = of_payment(&sale.payment);
    let parts: Vec<Fields> = sale.payment.split().into_iter().flat_map(|it| it.parts()).map(of_part).collect();
    let attempts: Vec<Fields> = attempts.iter().map(|it| of_attempt(&sale.payment, it)).collect();
    let refunds = refunds_of_payment(&*stores.database, &*stores.database, payment).await;
    let refunds: Vec<Value> = refunds.or_fail("the refunds cannot be read")?.iter().map(of_record).collect();
    let document = of_document(&sale.document);
    if json {
        let objects = |all: Vec<Fields>| all.into_iter().map(object).collect::<Value>();
        let further = [
            ("parts", objects(parts)),
            ("attempts", objects(attempts)),
            ("refunds", refunds.into()),
            ("document", document),
        ];
        return print(&object(fields.into_iter().chain(further).collect()));
    }
    print_block("payment", &fields)?;
    parts.iter().try_for_each(|it| print_block("part", it))?;
    attempts.iter().try_for_each(|it| print_block("attempt", it))?;
    refunds.into_iter().try_for_each(print_refund)?;
    print_object("document", document)
}

/// Prints a refund, then its legs and its credit note.
fn print_refund(mut refund: Value) -> Done {
    let (legs, note) = (refund["legs"].take(), refund["creditNote"].take());
    print_object("refund", refund)?;
    if let Value::Array(legs) = legs {
        legs.into_iter().try_for_each(|leg| print_object("leg", leg))?;
    }
    print_object("credit note", note)
}

/// Prints a title and the fields of an object; nothing for `null`.
fn print_object(title: &str, object: Value) -> Done {
    let Value::Object(fields) = object else { return Ok(()) };
    print_line(title)?;
    fields.iter().try_for_each(|(name, value)| print_field(name, value))
}

fn object(fields: Fields) -> Value {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
}

/// Prints a title, and the fields that have a value.
fn print_block(title: &str, fields: &Fields) -> Done {
    print_line(title)?;
    fields.iter().try_for_each(|(name, value)| print_field(name, value))
}

/// Prints a field on a line, unless the value is `null`.
fn print_field(name: &str, value: &Value) -> Done {
    match value {
        Value::Null => Ok(()),
        Value::String(text) => print_line(&format!("  {name}: {text}")),
        Value::Object(inner) => {
            let inner: Vec<String> = inner.iter().map(|(name, it)| format!("{name} {it}")).collect();
            print_line(&format!("  {name}: {}", inner.join(", ")))
        }
        other => print_line(&format!("  {name}: {other}")),
    }
}

fn of_payment(payment: &Payment) -> Fields {
    let (facts, state) = (&payment.facts, payment.state());
    let mut fields = vec![
        ("paymentId", facts.id.as_str().into()),
        ("status", payment.status().as_str().into()),
        ("merchantId", facts.merchant.as_str().into()),
        ("merchant", facts.display.merchant.display_name.as_str().into()),
        ("mode", facts.mode.as_str().into()),
        ("provider", facts.provider.as_str().into()),
        ("merchantAccountId", facts.account.as_str().into()),
        ("saleReference", facts.sale_reference.as_str().into()),
        ("amount", facts.amount.to_string().into()),
        ("voluntaryTip", state.voluntary_tip.to_string().into()),
        ("totalAmount", payment.total_amount().to_string().into()),
        ("createdAt", facts.created_at.to_rfc3339().into()),
        ("updatedAt", state.updated_at.to_rfc3339().into()),
        ("refundedAmount", payment.refund_summary().map(|it| it.refunded.to_string()).into()),
        ("refundableAmount", payment.refund_summary().map(|it| it.refundable.to_string()).into()),
        ("endedAt", payment.ended_at().map(|it| it.to_rfc3339()).into()),
    ];
    match payment.stage() {
        Stage::Verifying(doubt) => fields.extend(of_doubt(doubt)),
        Stage::Declined { decline, .. } => fields.push(of_decline(decline)),
        _ => {}
    }
    fields
}

fn of_part(part: &Part) -> Fields {
    let hold = part.stage().hold();
    let mut fields = vec![
        ("ordinal", part.ordinal.into()),
        ("status", part.status().as_str().into()),
        ("amount", part.share.amount.to_string().into()),
        ("card", of_card(part.state().method.as_ref())),
        ("heldByAttempt", hold.map(|it| it.attempt.as_str()).into()),
        ("authorizedAt", hold.map(|it| it.authorized_at.to_rfc3339()).into()),
        ("authorizationValidUntil", part.authorization_valid_until().map(|it| it.to_rfc3339()).into()),
    ];
    match part.stage() {
        PartStage::Verifying(doubt) => fields.extend(of_doubt(doubt.verification())),
        PartStage::Declined { decline, .. } => fields.push(of_decline(decline)),
        PartStage::Succeeded { at, .. } => fields.push(("capturedAt", at.to_rfc3339().into())),
        PartStage::Released { at } => fields.push(("releasedAt", at.to_rfc3339().into())),
        PartStage::Expired { at } => fields.push(("expiredAt", at.to_rfc3339().into())),
        _ => {}
    }
    fields
}

/// Attempt with the identifiers of both sides and the outcome.
fn of_attempt(payment: &Payment, attempt: &Attempt) -> Fields {
    let decline = match attempt.state {
        AttemptState::Declined(code) => Some(code.as_str()),
        _ => None,
    };
    // AZUL knows only purchases by our identifier.
    let is_purchase = matches!(attempt.kind, AttemptKind::Sale | AttemptKind::Authorization);
    let order = (payment.facts.provider == Provider::Azul && is_purchase).then(|| order_number(&attempt.id));
    let orphan = payment.orphans().iter().find(|it| it.progress.attempt == attempt.id);
    vec![
        ("attemptId", attempt.id.as_str().into()),
        ("kind", attempt.kind.as_str().into()),
        ("part", attempt.part.into()),
        ("refundId", attempt.refund.as_ref().map(|id| id.as_str()).into()),
        ("number", attempt.number.into()),
        ("status", attempt.state.as_str().into()),
        ("declineCode", decline.into()),
        ("amount", attempt.amount.to_string().into()),
        ("card", of_card(attempt.card.as_ref())),
        ("providerReference", attempt.provider_reference.clone().into()),
        ("orderNumber", order.into()),
        ("startedAt", attempt.started_at.to_rfc3339().into()),
        (moment(attempt), attempt.updated_at.to_rfc3339().into()),
        // Orphaned attempt: end of the look-ups for a late charge.
        ("watchedNextAt", orphan.map(|it| it.progress.next_check_at.to_rfc3339()).into()),
        ("isToBeUndone", orphan.map(|it| it.holds_money()).into()),
    ]
}

/// Last known state of an attempt.
fn moment(attempt: &Attempt) -> &'static str {
    match (attempt.kind, attempt.state) {
        (AttemptKind::Sale | AttemptKind::Capture, AttemptState::Approved) => "capturedAt",
        (AttemptKind::Authorization, AttemptState::Approved) => "authorizedAt",
        (AttemptKind::Release, AttemptState::Approved) => "releasedAt",
        (AttemptKind::Void | AttemptKind::Refund, AttemptState::Approved) => "returnedAt",
        (_, AttemptState::Reversed) => "reversedAt",
        (_, AttemptState::Declined(_)) => "declinedAt",
        _ => "updatedAt",
    }
}

fn of_doubt(doubt: &Verification) -> Fields {
    vec![
        ("inDoubtSince", doubt.started_at.to_rfc3339().into()),
        ("doubtfulAttempt", doubt.attempt.as_str().into()),
        ("lookUps", doubt.checks.into()),
        ("nextLookUpAt", doubt.next_check_at.to_rfc3339().into()),
        ("isEscalated", doubt.is_escalated.into()),
    ]
}

fn of_decline(decline: &Decline) -> (&'static str, Value) {
    ("declineCode", decline.code.as_str().into())
}

/// Brand and last digits of a card, such as `visa 1111`.
fn of_card(card: Option<&CardSummary>) -> Value {
    let words = |it: &CardSummary| [&it.brand, &it.last4].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ");
    card.map(words).filter(|it| !it.is_empty()).into()
}
