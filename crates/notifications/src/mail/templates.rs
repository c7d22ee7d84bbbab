use domain::{
    Currency, Money,
    fiscal::{DocumentEmail, Environment, Issued, LEGAL_TIP, TaxTreatment, verification_url},
    sale::Sale,
    webhook::EndpointDisabledEmail,
};
use ports::{Attachment, Mail, MailComposer, Papers};

use super::{endpoint_disabled, texts::DocumentTexts};

/// Renders e-mails in the merchant's language.
#[derive(Clone, Copy, Debug)]
pub struct EmailTemplates;

/// Content of an e-mail, before its rendering as text or HTML.
struct EmailContent {
    texts: &'static DocumentTexts,
    /// A warning at the top.
    notice: Option<&'static str>,
    opening: String,
    amounts: Vec<(String, String)>,
    facts: Vec<(String, String)>,
    url: String,
    /// Paragraphs at the end.
    closing: Vec<String>,
}

impl MailComposer for EmailTemplates {
    fn document(&self, sale: &Sale, issued: &Issued, delivery: &DocumentEmail, papers: Papers) -> Mail {
        let display = &sale.payment.facts.display;
        let merchant = &display.merchant;
        let texts = DocumentTexts::of(&display.locale);
        let number = issued.numbered.number.as_str();
        let content = content(sale, issued, texts);
        let attachment =
            |ending: &str, media_type, bytes| Attachment { name: format!("{number}.{ending}"), media_type, bytes };
        Mail {
            name: format!("{}.{}", delivery.document, delivery.number),
            at: issued.at.max(delivery.at),
            from: merchant.display_name.as_str().to_owned(),
            reply_to: merchant.support_email.clone(),
            to: delivery.email.clone(),
            subject: format!(
                "{}: {} {number}",
                merchant.display_name.as_str(),
                texts.kind(sale.document.content().kind)
            ),
            text: content.text(),
            html: content.html(),
            attachments: vec![
                attachment("xml", "application/xml", papers.signed),
                attachment("pdf", "application/pdf", papers.printed),
            ],
        }
    }

    fn disable_reason(&self, it: &EndpointDisabledEmail) -> Option<Mail> {
        endpoint_disabled::render(it)
    }
}

fn content(sale: &Sale, issued: &Issued, texts: &'static DocumentTexts) -> EmailContent {
    let document = &sale.document;
    let merchant = &sale.payment.facts.display.merchant;
    let numbered = &issued.numbered;
    let is_test = document.facts.environment != Environment::Production;
    let mut facts = vec![
        (
            texts.issuer.to_owned(),
            format!("{}, RNC {}", document.facts.issuer.legal_name.as_str(), document.facts.issuer.rnc.as_str()),
        ),
        ("e-NCF".to_owned(), numbered.number.as_str().to_owned()),
        (texts.security_code.to_owned(), issued.signed.security_code.clone()),
    ];
    facts.push((texts.phone.to_owned(), merchant.support_phone.as_str().to_owned()));
    let mut closing = vec![texts.attached.to_owned()];
    if merchant.support_email.is_some() {
        closing.push(texts.answer.to_owned());
    }
    EmailContent {
        texts,
        notice: is_test.then_some(texts.test_notice),
        opening: format!(
            "{} {} {} {}, {} {}.",
            merchant.display_name.as_str(),
            texts.sends_you,
            texts.kind(document.content().kind),
            numbered.number.as_str(),
            texts.dated,
            numbered.issue_date.format(texts.date)
        ),
        amounts: amounts(sale, texts),
        facts,
        url: verification_url(document, numbered, &issued.signed),
        closing,
    }
}

/// Returns the totals of the document, and the voluntary tip.
fn amounts(sale: &Sale, texts: &DocumentTexts) -> Vec<(String, String)> {
    let (facts, content) = (&sale.document.facts, sale.document.content());
    let breakdown = &content.breakdown;
    let of = |minor_units| spelled(Money::new(minor_units, facts.currency));
    let uses = |treatment| content.lines.iter().any(|it| it.tax_treatment == treatment);
    let mut amounts = Vec::new();
    for base in &breakdown.taxable_bases {
        let percent = base.tax_treatment.rate_percent().unwrap_or_default();
        amounts.push((format!("{} {percent} %", texts.subtotal), of(base.base_minor_units)));
    }
    if uses(TaxTreatment::Exempt) {
        amounts.push((texts.exempt.to_owned(), of(breakdown.exempt_minor_units)));
    }
    amounts.push(("ITBIS".to_owned(), of(breakdown.taxes_minor_units)));
    if let Some(tip) = breakdown.service_charges.first() {
        amounts.push((format!("{} {} %", texts.legal_tip, LEGAL_TIP.rate), of(tip.minor_units)));
    }
    amounts.push((texts.total.to_owned(), spelled(sale.document.total())));
    if let Some(rate) = &facts.rate {
        let pesos = spelled(sale.document.total_in_pesos());
        amounts.push((texts.in_pesos.to_owned(), format!("{pesos} ({} {})", texts.at_rate, rate.ratio_text())));
    }
    let tip = sale.payment.state().voluntary_tip;
    if tip.minor_units() > 0 {
        amounts.push((texts.voluntary_tip.to_owned(), spelled(tip)));
        amounts.push((texts.paid.to_owned(), spelled(sale.payment.total_amount())));
    }
    amounts
}

fn spelled(amount: Money) -> String {
    let symbol = match amount.currency() {
        Currency::Dop => "RD$",
        Currency::Usd => "US$",
    };
    format!("{symbol} {}", amount.grouped_text())
}

impl EmailContent {
    fn text(&self) -> String {
        let row = |(name, value): &(String, String)| format!("{name}: {value}\n");
        let rows = |rows: &[(String, String)]| rows.iter().map(row).collect::<String>();
        let notice = self.notice.map_or_else(String::new, |it| format!("{it}\n\n"));
        format!(
            "{notice}{}\n\n{}\n\n{}\n{}\n{}\n{}\n\n{}\n",
            self.texts.greeting,
            self.opening,
            rows(&self.amounts),
            rows(&self.facts),
            self.texts.verify,
            self.url,
            self.closing.join("\n")
        )
    }

    /// Renders HTML without images, scripts or other remote content, so that reading the e-mail is not tracked.
    fn html(&self) -> String {
        let row = |(name, value): &(String, String)| {
            format!(
                "<tr><td style=\"padding:2px 16px 2px 0\">{}</td><td style=\"text-align:right\">{}</td></tr>",
                escape_html(name),
                escape_html(value)
            )
        };
        let table = |rows: &[(String, String)]| format!("<table>{}</table>", rows.iter().map(row).collect::<String>());
        let paragraph = |text: &str| format!("<p>{}</p>", escape_html(text));
        let notice = self.notice.map_or_else(String::new, |it| format!("<p><strong>{}</strong></p>", escape_html(it)));
        let url = escape_html(&self.url);
        format!(
            "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"></head>\
             <body style=\"font-family:sans-serif\">{notice}{}{}{}<br>{}<p>{}<br><a href=\"{url}\" style=\"word-break:break-all\">{url}</a></p>{}\
             </body></html>\n",
            self.texts.code,
            paragraph(self.texts.greeting),
            paragraph(&self.opening),
            table(&self.amounts),
            table(&self.facts),
            escape_html(self.texts.verify),
            self.closing.iter().map(|it| paragraph(it)).collect::<String>()
        )
    }
}

/// Escapes text for HTML.
pub(super) fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for symbol in text.chars() {
        match symbol {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(symbol),
        }
    }
    escaped
}
