//! E-mail to the merchant of a disabled webhook endpoint: which endpoint, since when, the reason, and how to enable it.

use chrono::{DateTime, SecondsFormat, Utc};
use domain::{
    Mode,
    fiscal::local_time,
    webhook::{DisabledReason, EndpointDisabledEmail, WebhookResult},
};
use ports::Mail;

use super::{
    blocks::{self, Block},
    language::Language,
};

/// Display name of the sender.
const SENDER: &str = "Cobro";

/// Renders the e-mail; `None` without a recipient.
pub(super) fn render(it: &EndpointDisabledEmail) -> Option<Mail> {
    let language = Language::of(&it.locale);
    let blocks = blocks(it, language);
    let subject = language.pick("Su webhook fue desactivado", "Your webhook endpoint was disabled");
    Some(Mail {
        name: it.event.to_string(),
        at: it.at(),
        from: SENDER.to_owned(),
        reply_to: None,
        to: it.to.clone()?,
        subject: format!("{subject}: {}", it.endpoint.url.host()),
        text: blocks::text(&blocks),
        html: blocks::html(language, &blocks),
        attachments: Vec::new(),
    })
}

fn blocks(it: &EndpointDisabledEmail, language: Language) -> Vec<Block> {
    let text = |spanish, english| Block::Text(language.pick(spanish, english).to_owned());
    let at = format!("/v1/webhook_endpoints/{}", it.endpoint.id);
    let replay = |body: String| Block::Preformatted(format!("POST {at}/replays\n{body}"));
    vec![
        text("Hola:", "Hello,"),
        match it.endpoint.disabled {
            Some(DisabledReason::Gone) => text(
                "Dejamos de enviar eventos a un webhook suyo porque respondió 410, que significa que ya no existe.",
                "We disabled one of your webhook endpoints, because the server responded 410 (Gone).",
            ),
            _ => text(
                "Dejamos de enviar eventos a un webhook suyo porque no aceptó ninguno en cinco días.",
                "We disabled one of your webhook endpoints, because the server has accepted no event for five days.",
            ),
        },
        text(
            "Sus cobros y comprobantes siguen igual. Solo falta quien reciba los avisos.",
            "Your payments and documents are not affected. Only the webhooks are missing.",
        ),
        Block::Facts(facts(it, language)),
        text(
            "Cuando esté corregido, actívelo con una llave de administración, en la dirección del API que usa para cobrar. Lo que estaba en espera sale enseguida:",
            "After the correction, enable the endpoint with an admin key, at the address of the API that you use for payments. Queued events are sent at once:",
        ),
        Block::Preformatted(format!("PATCH {at}\n{{\"status\": \"enabled\"}}")),
        text(
            "Lo que ocurrió mientras estaba desactivado no sale por sí solo. Pídalo:",
            "Events that occurred while the endpoint was disabled are not sent automatically. Request a replay:",
        ),
        replay(format!("{{\"since\": \"{}\"}}", instant(it.not_queued_since()))),
        text(
            "Si también quiere los eventos de antes que agotaron sus intentos:",
            "To also receive earlier events whose attempts were exhausted:",
        ),
        replay(format!("{{\"since\": \"{}\", \"onlyFailed\": true}}", instant(it.given_up_since()))),
    ]
}

/// Returns the facts of the endpoint. Only the host of the URL is shown, because the path may contain a secret.
fn facts(it: &EndpointDisabledEmail, language: Language) -> Vec<(String, String)> {
    let endpoint = &it.endpoint;
    let fact = |spanish, english, value| (language.pick(spanish, english).to_owned(), value);
    let mode = match endpoint.mode {
        Mode::Test => language.pick("prueba", "test"),
        Mode::Live => language.pick("real", "live"),
    };
    let format = language.pick("%d/%m/%Y, %H:%M (hora de Santo Domingo)", "%b %-d, %Y, %H:%M (Santo Domingo time)");
    let time = |at| local_time(at).format(format).to_string();
    let mut facts = vec![
        fact("Webhook", "Webhook", endpoint.id.to_string()),
        fact("Servidor", "Server", endpoint.url.host().to_owned()),
    ];
    let description = endpoint.description.as_ref().map(|text| text.as_str().to_owned());
    facts.extend(description.map(|text| fact("Descripción", "Description", text)));
    facts.push(fact("Modo", "Mode", mode.to_owned()));
    facts.push(fact("Desactivado", "Disabled", time(it.at())));
    facts.push(fact("No acepta nada desde", "No event accepted since", time(it.outage.since)));
    facts.push(fact("Último intento", "Last attempt", attempt(it.outage.last, language)));
    facts
}

fn attempt(last: WebhookResult, language: Language) -> String {
    let text = match last {
        WebhookResult::Status(status) => {
            return format!("{} {status}", language.pick("respondió HTTP", "responded with HTTP"));
        }
        WebhookResult::BlockedAddress => language.pick(
            "el nombre lleva a una dirección que no es pública",
            "the host name has an address that is not public",
        ),
        WebhookResult::Unreachable => {
            language.pick("no hubo conexión, o se cortó", "no connection was possible, or the connection broke")
        }
        WebhookResult::TimedOut => language.pick("no respondió a tiempo", "the request timed out"),
    };
    text.to_owned()
}

/// Formats a time as in the API.
fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
