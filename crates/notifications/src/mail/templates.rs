use domain::{
    Currency, FiscalDocument, Money,
    fiscal::{DocumentEmail, Environment, Issued, LEGAL_TIP, TaxTreatment, verification_url},
    sale::Sale,
    webhook::EndpointDisabledEmail,
};
use ports::{Attachment, Mail, MailComposer, Papers};

use super::{
    blocks::{self, Block},
    credit_note, endpoint_disabled,
    kind::kind,
    language::Language,
};

/// Renders e-mails in the merchant's language.
#[derive(Clone, Copy, Debug)]
pub struct EmailTemplates;

impl MailComposer for EmailTemplates {
    fn document(&self, sale: &Sale, issued: &Issued, delivery: &DocumentEmail, papers: Papers) -> Mail {
        mail((sale, &sale.document), issued, delivery, papers)
    }

    fn credit_note(
        &self,
        sale: &Sale,
        note: &FiscalDocument,
        issued: &Issued,
        delivery: &DocumentEmail,
        papers: Papers,
    ) -> Mail {
        mail((sale, note), issued, delivery, papers)
    }

    fn endpoint_disabled(&self, it: &EndpointDisabledEmail) -> Option<Mail> {
        endpoint_disabled::render(it)
    }
}

/// Returns the e-mail that delivers a document of a sale: its own, or a credit note.
fn mail((sale, document): (&Sale, &FiscalDocument), issued: &Issued, delivery: &DocumentEmail, papers: Papers) -> Mail {
    let display = &sale.payment.facts.display;
    let merchant = &display.merchant;
    let language = Language::of(&display.locale);
    let number = issued.numbered.number.as_str();
    let blocks = blocks((sale, document), issued, language);
    let attachment =
        |ending: &str, media_type, bytes| Attachment { name: format!("{number}.{ending}"), media_type, bytes };
    Mail {
        name: format!("{}.{}", delivery.document, delivery.number),
        at: issued.at.max(delivery.at),
        from: merchant.display_name.as_str().to_owned(),
        reply_to: merchant.support_email.clone(),
        to: delivery.email.clone(),
        subject: match &document.content().note {
            Some(_) => credit_note::subject(document, number, language),
            None => {
                let kind = kind(document.content().kind, language);
                format!("{}: {kind} {number}", merchant.display_name.as_str())
            }
        },
        text: blocks::text(&blocks),
        html: blocks::html(language, &blocks),
        attachments: vec![
            attachment("xml", "application/xml", papers.signed),
            attachment("pdf", "application/pdf", papers.printed),
        ],
    }
}

fn blocks((sale, document): (&Sale, &FiscalDocument), issued: &Issued, language: Language) -> Vec<Block> {
    let text = |spanish, english| language.pick(spanish, english).to_owned();
    let merchant = &sale.payment.facts.display.merchant;
    let (issuer, numbered) = (&document.facts.issuer, &issued.numbered);
    let is_test = document.facts.environment != Environment::Production;
    let notice = text("DOCUMENTO DE PRUEBA, SIN VALIDEZ FISCAL", "TEST DOCUMENT, WITHOUT FISCAL VALUE");
    let mut blocks: Vec<Block> = is_test.then_some(Block::Notice(notice)).into_iter().collect();
    let mut closing = text(
        "Adjuntos: el comprobante firmado (XML), que es el documento fiscal, y su representación impresa (PDF).",
        "Attached: the signed document (XML), which is the fiscal document, and its printed representation (PDF).",
    );
    if merchant.support_email.is_some() {
        closing.push('\n');
        closing.push_str(
            language
                .pick("Si tiene preguntas, responda a este correo.", "If you have questions, reply to this e-mail."),
        );
    }
    blocks.extend([
        Block::Text(text("Hola:", "Hello,")),
        Block::Text(format!(
            "{} {} {} {}, {} {}.",
            merchant.display_name.as_str(),
            language.pick("le envía su", "has issued you a"),
            kind(document.content().kind, language),
            numbered.number.as_str(),
            language.pick("con fecha", "dated"),
            language.day(numbered.issue_date)
        )),
    ]);
    if let Some(note) = &document.content().note {
        blocks.extend(credit_note::original(sale, note, language));
    }
    blocks.extend([
        Block::Amounts(amounts((sale, document), language)),
        Block::Gap,
        Block::Amounts(vec![
            (text("Emisor", "Issuer"), format!("{}, RNC {}", issuer.legal_name.as_str(), issuer.rnc.as_str())),
            ("e-NCF".to_owned(), numbered.number.as_str().to_owned()),
            (text("Código de seguridad", "Security code"), issued.signed.security_code.clone()),
            (text("Teléfono", "Phone"), merchant.support_phone.as_str().to_owned()),
        ]),
        Block::Link(
            text(
                "Puede comprobarlo en la página de la DGII:",
                "You can check it on the page of the tax authority (DGII):",
            ),
            verification_url(document, numbered, &issued.signed),
        ),
        Block::Text(closing),
    ]);
    blocks
}

/// Returns the totals of the document, and the voluntary tip of a sale.
fn amounts((sale, document): (&Sale, &FiscalDocument), language: Language) -> Vec<(String, String)> {
    let text = |spanish, english| language.pick(spanish, english).to_owned();
    let (facts, content) = (&document.facts, document.content());
    let breakdown = &content.breakdown;
    let of = |minor_units| spelled(Money::new(minor_units, facts.currency));
    let uses = |treatment| content.lines.iter().any(|it| it.tax_treatment == treatment);
    let mut amounts = Vec::new();
    for base in &breakdown.taxable_bases {
        let percent = base.tax_treatment.rate_percent().unwrap_or_default();
        let subtotal = language.pick("Subtotal gravado", "Taxable subtotal");
        amounts.push((format!("{subtotal} {percent} %"), of(base.base_minor_units)));
    }
    if uses(TaxTreatment::Exempt) {
        amounts.push((text("Subtotal exento", "Exempt subtotal"), of(breakdown.exempt_minor_units)));
    }
    amounts.push(("ITBIS".to_owned(), of(breakdown.taxes_minor_units)));
    if let Some(tip) = breakdown.service_charges.first() {
        let name = language.pick("Propina legal", "Legal service charge");
        amounts.push((format!("{name} {} %", LEGAL_TIP.rate), of(tip.minor_units)));
    }
    amounts.push((text("Total del comprobante", "Total of the document"), spelled(document.total())));
    if let Some(rate) = &facts.rate {
        let pesos = spelled(document.total_in_pesos());
        let at_rate = format!("{pesos} ({} {})", language.pick("tasa", "rate"), rate.ratio_text());
        amounts.push((text("Total en pesos", "Total in pesos"), at_rate));
    }
    let tip = sale.payment.state().voluntary_tip;
    if tip.minor_units() > 0 && content.note.is_none() {
        amounts.push((text("Propina voluntaria", "Voluntary tip"), spelled(tip)));
        amounts.push((text("Total pagado", "Total paid"), spelled(sale.payment.total_amount())));
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
