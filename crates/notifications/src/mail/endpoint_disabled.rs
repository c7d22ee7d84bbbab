//! E-mail to the merchant of a disabled webhook endpoint: which endpoint, since when, the reason, and how to enable it.

use chrono::{DateTime, SecondsFormat, Utc};
use domain::{
    Mode,
    fiscal::local_time,
    webhook::{DisabledReason, EndpointDisabledEmail, WebhookResult},
};
use ports::Mail;

use super::{templates::escape_html, texts::in_language};

/// Display name of the sender.
const SENDER: &str = "Cobro";

/// Block of the e-mail.
enum Block {
    Text(String),
    Facts(Vec<(&'static str, String)>),
    /// Preformatted text.
    Preformatted(String),
}

/// Texts in one language.
struct DisabledTexts {
    /// Language code for HTML.
    code: &'static str,
    /// Precedes the host name.
    subject: &'static str,
    greeting: &'static str,
    gone: &'static str,
    failing: &'static str,
    /// Lists the unaffected services.
    assurance: &'static str,
    endpoint: &'static str,
    machine: &'static str,
    description: &'static str,
    mode: &'static str,
    test: &'static str,
    live: &'static str,
    off_since: &'static str,
    failing_since: &'static str,
    last: &'static str,
    status: &'static str,
    blocked: &'static str,
    unreachable: &'static str,
    timed_out: &'static str,
    switch_on: &'static str,
    unsent: &'static str,
    given_up: &'static str,
    /// Format of a local time.
    time: &'static str,
}

const SPANISH: DisabledTexts = DisabledTexts {
    code: "es-DO",
    subject: "Su webhook fue desactivado",
    greeting: "Hola:",
    gone: "Dejamos de enviar eventos a un webhook suyo porque respondió 410, que significa que ya no existe.",
    failing: "Dejamos de enviar eventos a un webhook suyo porque no aceptó ninguno en cinco días.",
    assurance: "Sus cobros y comprobantes siguen igual. Solo falta quien reciba los avisos.",
    endpoint: "Webhook",
    machine: "Servidor",
    description: "Descripción",
    mode: "Modo",
    test: "prueba",
    live: "real",
    off_since: "Desactivado",
    failing_since: "No acepta nada desde",
    last: "Último intento",
    status: "respondió HTTP",
    blocked: "el nombre lleva a una dirección que no es pública",
    unreachable: "no hubo conexión, o se cortó",
    timed_out: "no respondió a tiempo",
    switch_on: "Cuando esté corregido, actívelo con una llave de administración, en la dirección del API que usa para cobrar. Lo que estaba en espera sale enseguida:",
    unsent: "Lo que ocurrió mientras estaba desactivado no sale por sí solo. Pídalo:",
    given_up: "Si también quiere los eventos de antes que agotaron sus intentos:",
    time: "%d/%m/%Y, %H:%M (hora de Santo Domingo)",
};

const ENGLISH: DisabledTexts = DisabledTexts {
    code: "en",
    subject: "Your webhook was switched off",
    greeting: "Hello,",
    gone: "We no longer send events to a webhook of yours, since it answered 410, which means that it is gone.",
    failing: "We no longer send events to a webhook of yours, since it has taken none for five days.",
    assurance: "Your payments and documents go on as before. Only nobody hears of them.",
    endpoint: "Webhook",
    machine: "Server",
    description: "Description",
    mode: "Mode",
    test: "test",
    live: "live",
    off_since: "Switched off",
    failing_since: "Has taken nothing since",
    last: "Last attempt",
    status: "answered HTTP",
    blocked: "its name leads to an address that is not public",
    unreachable: "there was no connection, or it broke",
    timed_out: "it did not answer in time",
    switch_on: "Once it is mended, switch it on with an admin key, at the address of the API that you charge with. What waits goes out at once:",
    unsent: "What happened while it was off does not go out by itself. Ask for it:",
    given_up: "If you also want the events from before that ran out of attempts:",
    time: "%b %-d, %Y, %H:%M (Santo Domingo time)",
};

/// Renders the e-mail; `None` without a recipient.
pub(super) fn render(it: &EndpointDisabledEmail) -> Option<Mail> {
    let texts = in_language(&it.locale, &SPANISH, &ENGLISH);
    let blocks = texts.blocks(it);
    Some(Mail {
        name: it.event.to_string(),
        at: it.at(),
        from: SENDER.to_owned(),
        reply_to: None,
        to: it.to.clone()?,
        subject: format!("{}: {}", texts.subject, it.endpoint.url.host()),
        text: blocks.iter().map(Block::text).collect::<Vec<_>>().join("\n"),
        html: texts.html(&blocks),
        attachments: Vec::new(),
    })
}

impl DisabledTexts {
    fn blocks(&self, it: &EndpointDisabledEmail) -> Vec<Block> {
        let endpoint = &it.endpoint;
        let reason = match endpoint.disabled {
            Some(DisabledReason::Gone) => self.gone,
            _ => self.failing,
        };
        let at = format!("/v1/webhook_endpoints/{}", endpoint.id);
        let replay = |body: String| Block::Preformatted(format!("POST {at}/replays\n{body}"));
        vec![
            Block::Text(self.greeting.to_owned()),
            Block::Text(reason.to_owned()),
            Block::Text(self.assurance.to_owned()),
            Block::Facts(self.facts(it)),
            Block::Text(self.switch_on.to_owned()),
            Block::Preformatted(format!("PATCH {at}\n{{\"status\": \"enabled\"}}")),
            Block::Text(self.unsent.to_owned()),
            replay(format!("{{\"since\": \"{}\"}}", instant(it.not_queued_since()))),
            Block::Text(self.given_up.to_owned()),
            replay(format!("{{\"since\": \"{}\", \"onlyFailed\": true}}", instant(it.given_up_since()))),
        ]
    }

    /// Of the URL only the host is shown: the path may contain a secret.
    fn facts(&self, it: &EndpointDisabledEmail) -> Vec<(&'static str, String)> {
        let endpoint = &it.endpoint;
        let mode = match endpoint.mode {
            Mode::Test => self.test,
            Mode::Live => self.live,
        };
        let mut facts = vec![(self.endpoint, endpoint.id.to_string()), (self.machine, endpoint.url.host().to_owned())];
        facts.extend(endpoint.description.as_ref().map(|text| (self.description, text.as_str().to_owned())));
        facts.push((self.mode, mode.to_owned()));
        facts.push((self.off_since, self.time(it.at())));
        facts.push((self.failing_since, self.time(it.outage.since)));
        facts.push((self.last, self.attempt(it.outage.last)));
        facts
    }

    fn time(&self, at: DateTime<Utc>) -> String {
        local_time(at).format(self.time).to_string()
    }

    fn attempt(&self, last: WebhookResult) -> String {
        match last {
            WebhookResult::Status(status) => format!("{} {status}", self.status),
            WebhookResult::BlockedAddress => self.blocked.to_owned(),
            WebhookResult::Unreachable => self.unreachable.to_owned(),
            WebhookResult::TimedOut => self.timed_out.to_owned(),
        }
    }

    fn html(&self, blocks: &[Block]) -> String {
        format!(
            "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"></head>\
             <body style=\"font-family:sans-serif\">{}</body></html>\n",
            self.code,
            blocks.iter().map(Block::html).collect::<String>()
        )
    }
}

impl Block {
    fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Preformatted(text) => format!("{text}\n"),
            Self::Facts(rows) => rows.iter().map(|(name, value)| format!("{name}: {value}\n")).collect(),
        }
    }

    fn html(&self) -> String {
        let row = |(name, value): &(&str, String)| {
            format!(
                "<tr><td style=\"padding:2px 16px 2px 0\">{}</td><td>{}</td></tr>",
                escape_html(name),
                escape_html(value)
            )
        };
        match self {
            Self::Text(text) => format!("<p>{}</p>", escape_html(text)),
            Self::Preformatted(text) => format!("<pre>{}</pre>", escape_html(text)),
            Self::Facts(rows) => format!("<table>{}</table>", rows.iter().map(row).collect::<String>()),
        }
    }
}

/// Formats a time as in the API.
fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
