use domain::{
    Currency, Money,
    fiscal::{DocumentEmail, Environment, Issued, LEGAL_TIP, TaxTreatment, verification_url},
    sale::Sale,
    webhook::EndpointDisabledEmail,
};
use ports::{Attachment, Mail, MailComposer, Papers};

use super::{switch_off, words::Words};

/// Writes the mails, in the language of the merchant.
#[derive(Clone, Copy, Debug)]
pub struct EmailTemplates;

/// What a mail says, before it is text or HTML.
struct Said {
    words: &'static Words,
    /// A warning above all else.
    notice: Option<&'static str>,
    opening: String,
    amounts: Vec<(String, String)>,
    facts: Vec<(String, String)>,
    url: String,
    /// What stands at the end.
    closing: Vec<String>,
}

impl MailComposer for EmailTemplates {
    fn document(&self, sale: &Sale, issued: &Issued, delivery: &DocumentEmail, papers: Papers) -> Mail {
        let display = &sale.payment.facts.display;
        let merchant = &display.merchant;
        let words = Words::of(&display.locale);
        let number = issued.numbered.number.as_str();
        let said = said(sale, issued, words);
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
                words.kind(sale.document.content().kind)
            ),
            text: said.text(),
            html: said.html(),
            attachments: vec![
                attachment("xml", "application/xml", papers.signed),
                attachment("pdf", "application/pdf", papers.printed),
            ],
        }
    }

    fn disable_reason(&self, it: &EndpointDisabledEmail) -> Option<Mail> {
        switch_off::letter(it)
    }
}

fn said(sale: &Sale, issued: &Issued, words: &'static Words) -> Said {
    let document = &sale.document;
    let merchant = &sale.payment.facts.display.merchant;
    let numbered = &issued.numbered;
    let is_rehearsal = document.facts.environment != Environment::Production;
    let mut facts = vec![
        (
            words.issuer.to_owned(),
            format!("{}, RNC {}", document.facts.issuer.legal_name.as_str(), document.facts.issuer.rnc.as_str()),
        ),
        ("e-NCF".to_owned(), numbered.number.as_str().to_owned()),
        (words.security_code.to_owned(), issued.signed.security_code.clone()),
    ];
    facts.push((words.phone.to_owned(), merchant.support_phone.as_str().to_owned()));
    let mut closing = vec![words.attached.to_owned()];
    if merchant.support_email.is_some() {
        closing.push(words.answer.to_owned());
    }
    Said {
        words,
        notice: is_rehearsal.then_some(words.rehearsal),
        opening: format!(
            "{} {} {} {}, {} {}.",
            merchant.display_name.as_str(),
            words.sends_you,
            words.kind(document.content().kind),
            numbered.number.as_str(),
            words.dated,
            numbered.issue_date.format(words.date)
        ),
        amounts: amounts(sale, words),
        facts,
        url: verification_url(document, numbered, &issued.signed),
        closing,
    }
}

/// The sums that the document states, and what was paid beside it.
fn amounts(sale: &Sale, words: &Words) -> Vec<(String, String)> {
    let (facts, content) = (&sale.document.facts, sale.document.content());
    let breakdown = &content.breakdown;
    let of = |minor_units| spelled(Money::new(minor_units, facts.currency));
    let uses = |treatment| content.lines.iter().any(|it| it.tax_treatment == treatment);
    let mut amounts = Vec::new();
    for base in &breakdown.taxable_bases {
        let percent = base.tax_treatment.rate_percent().unwrap_or_default();
        amounts.push((format!("{} {percent} %", words.subtotal), of(base.base_minor_units)));
    }
    if uses(TaxTreatment::Exempt) {
        amounts.push((words.exempt.to_owned(), of(breakdown.exempt_minor_units)));
    }
    amounts.push(("ITBIS".to_owned(), of(breakdown.taxes_minor_units)));
    if let Some(tip) = breakdown.service_charges.first() {
        amounts.push((format!("{} {} %", words.legal_tip, LEGAL_TIP.rate), of(tip.minor_units)));
    }
    amounts.push((words.total.to_owned(), spelled(sale.document.total())));
    if let Some(rate) = &facts.rate {
        let pesos = spelled(sale.document.total_in_pesos());
        amounts.push((words.in_pesos.to_owned(), format!("{pesos} ({} {})", words.at_rate, rate.ratio_text())));
    }
    let tip = sale.payment.state().voluntary_tip;
    if tip.minor_units() > 0 {
        amounts.push((words.voluntary_tip.to_owned(), spelled(tip)));
        amounts.push((words.paid.to_owned(), spelled(sale.payment.total_amount())));
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

impl Said {
    fn text(&self) -> String {
        let row = |(name, value): &(String, String)| format!("{name}: {value}\n");
        let rows = |rows: &[(String, String)]| rows.iter().map(row).collect::<String>();
        let notice = self.notice.map_or_else(String::new, |it| format!("{it}\n\n"));
        format!(
            "{notice}{}\n\n{}\n\n{}\n{}\n{}\n{}\n\n{}\n",
            self.words.greeting,
            self.opening,
            rows(&self.amounts),
            rows(&self.facts),
            self.words.verify,
            self.url,
            self.closing.join("\n")
        )
    }

    /// No image, no script, nothing that is fetched from anywhere: who reads it tells nobody.
    fn html(&self) -> String {
        let row = |(name, value): &(String, String)| {
            format!(
                "<tr><td style=\"padding:2px 16px 2px 0\">{}</td><td style=\"text-align:right\">{}</td></tr>",
                escaped(name),
                escaped(value)
            )
        };
        let table = |rows: &[(String, String)]| format!("<table>{}</table>", rows.iter().map(row).collect::<String>());
        let paragraph = |text: &str| format!("<p>{}</p>", escaped(text));
        let notice = self.notice.map_or_else(String::new, |it| format!("<p><strong>{}</strong></p>", escaped(it)));
        let url = escaped(&self.url);
        format!(
            "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"></head>\
             <body style=\"font-family:sans-serif\">{notice}{}{}{}<br>{}<p>{}<br><a href=\"{url}\" style=\"word-break:break-all\">{url}</a></p>{}\
             </body></html>\n",
            self.words.code,
            paragraph(self.words.greeting),
            paragraph(&self.opening),
            table(&self.amounts),
            table(&self.facts),
            escaped(self.words.verify),
            self.closing.iter().map(|it| paragraph(it)).collect::<String>()
        )
    }
}

/// Text that stays text within HTML.
pub(super) fn escaped(text: &str) -> String {
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
