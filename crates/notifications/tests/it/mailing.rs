//! E-mails, sent to servers with various replies and parsed by an independent library.

use std::time::Duration;

use domain::{
    fiscal::{DocumentEmail, DocumentStage, EmailProblem},
    mailing::MailOutcome,
    text::{BoundedText, Email},
};
use mail_parser::{Message, MessageParser, MimeHeaders};
use notifications::{EmailTemplates, SmtpMailer, SmtpOptions, SmtpSecurity, SmtpTimeouts};
use ports::{Mail, MailComposer, Mailer, Papers};
use testkit::sample;
use zeroize::Zeroizing;

use crate::mail_server::{Begins, FRIENDLY, MailServer, Reply, Script};

/// Bytes that no text encoding preserves.
const PDF: &[u8] = b"%PDF-1.7\r\n.\r\n\0\xff\n..\n";
const XML: &[u8] = "<ECF>Peñón\n.\n</ECF>".as_bytes();

fn papers() -> Papers {
    Papers { signed: XML.to_vec(), printed: PDF.to_vec() }
}

fn request(email: &str) -> DocumentEmail {
    DocumentEmail { email: Email::parse(email).unwrap(), ..sample::delivery(1, 1) }
}

/// Returns the e-mail with the sample document in a language.
fn document_email(locale: &str, email: &str) -> Mail {
    let mut sale = sample::issued(1);
    sale.payment.facts.display.locale = BoundedText::parse(locale).unwrap();
    sale.payment.facts.display.merchant.support_email = Email::parse("ayuda@comercio.example");
    let DocumentStage::Issued(issued) = sale.document.stage() else { panic!("the sample is issued") };
    EmailTemplates.document(&sale, issued, &request(email), papers())
}

fn mail() -> Mail {
    document_email("es-DO", "rosa@correo.example")
}

fn options(server: &MailServer, security: SmtpSecurity) -> SmtpOptions {
    let timeouts = SmtpTimeouts { until_data: Duration::from_secs(20), until_reply: Duration::from_secs(20) };
    SmtpOptions {
        host: "localhost".to_owned(),
        port: server.address.port(),
        security,
        login: None,
        ca_certificates: Some(server.authority.clone()),
        from: Email::parse("facturas@cobro.example").unwrap(),
        timeouts,
    }
}

pub(crate) async fn send(server: &MailServer, mail: Mail) -> MailOutcome {
    SmtpMailer::new(options(server, SmtpSecurity::Loopback)).unwrap().send(mail).await
}

/// Sends with short timeouts.
async fn send_with_short_timeouts(server: &MailServer) -> MailOutcome {
    let timeouts = SmtpTimeouts { until_data: Duration::from_millis(150), until_reply: Duration::from_millis(150) };
    SmtpMailer::new(SmtpOptions { timeouts, ..options(server, SmtpSecurity::Loopback) }).unwrap().send(mail()).await
}

fn parsed(mail: &str) -> Message<'_> {
    MessageParser::default().parse(mail.as_bytes()).expect("a message")
}

#[tokio::test]
async fn a_mail_brings_the_document_in_both_forms_byte_for_byte() {
    let server = MailServer::friendly().await;

    assert_eq!(send(&server, mail()).await, MailOutcome::Accepted);

    let mails = server.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    let message = parsed(mail);
    let from = message.from().unwrap().first().unwrap();
    assert_eq!((from.name(), from.address()), (Some("La Esquina"), Some("facturas@cobro.example")));
    assert_eq!(message.to().unwrap().first().unwrap().address(), Some("rosa@correo.example"));
    assert_eq!(message.reply_to().unwrap().first().unwrap().address(), Some("ayuda@comercio.example"));
    assert_eq!(message.subject(), Some("La Esquina: Factura de Consumo Electrónica E320000000001"));
    assert_eq!(message.message_id(), Some(format!("{}.1@cobro.example", sample::document_id(1)).as_str()));
    assert_eq!(message.date().unwrap().to_timestamp(), sample::noon().timestamp());
    let attached: Vec<_> = message.attachments().map(|it| (it.attachment_name(), it.contents())).collect();
    assert_eq!(attached, [(Some("E320000000001.xml"), XML), (Some("E320000000001.pdf"), PDF)]);
    let types = message.attachments().map(|it| it.content_type().unwrap());
    let types: Vec<_> = types.map(|it| format!("{}/{}", it.ctype(), it.subtype().unwrap())).collect();
    assert_eq!(types, ["application/xml", "application/pdf"]);
    assert!(mail.is_ascii(), "no server has to be asked what it can take");
}

/// A server without SMTPUTF8 must not refuse an e-mail because of the merchant's reply address.
#[tokio::test]
async fn an_unusual_reply_address_does_not_prevent_the_email() {
    let server = MailServer::friendly().await;
    let odd = Mail { reply_to: Email::parse("\u{f1}@comercio.example"), ..mail() };
    assert!(odd.reply_to.is_some());

    assert_eq!(send(&server, odd).await, MailOutcome::Accepted);

    let mails = server.mails();
    assert!(parsed(&mails[0]).reply_to().is_none() && mails[0].is_ascii());
}

#[tokio::test]
async fn a_mail_that_is_sent_twice_is_the_same_mail() {
    let server = MailServer::friendly().await;

    for _ in 0..2 {
        assert_eq!(send(&server, mail()).await, MailOutcome::Accepted);
    }

    let mails = server.mails();
    assert_eq!(mails[0], mails[1]);
}

#[test]
fn an_email_has_the_totals_in_the_language_of_the_checkout() {
    let spanish = document_email("es-DO", "rosa@correo.example").text;
    let english = document_email("en-US", "rosa@correo.example").text;

    for line in [
        "Subtotal gravado 18 %: RD$ 1,000.00",
        "ITBIS: RD$ 180.00",
        "Propina legal 10 %: RD$ 100.00",
        "Total del comprobante: RD$ 1,280.00",
        "Código de seguridad: aB3+/=",
        "DOCUMENTO DE PRUEBA, SIN VALIDEZ FISCAL",
    ] {
        assert!(spanish.lines().any(|it| it == line), "{line}: {spanish}");
    }
    for line in [
        "Taxable subtotal 18 %: RD$ 1,000.00",
        "Total of the document: RD$ 1,280.00",
        "Legal service charge 10 %: RD$ 100.00",
    ] {
        assert!(english.lines().any(|it| it == line), "{line}: {english}");
    }
    assert!(spanish.contains("https://fc.dgii.gov.do/"), "{spanish}");
}

#[test]
fn markup_in_names_is_escaped() {
    let mut sale = sample::issued(1);
    sale.payment.facts.display.merchant.display_name = BoundedText::parse("<img src=x> & \"Hijos\"").unwrap();
    let DocumentStage::Issued(issued) = sale.document.stage() else { panic!("the sample is issued") };

    let html = EmailTemplates.document(&sale, issued, &request("rosa@correo.example"), papers()).html;

    assert!(html.contains("&lt;img src=x&gt; &amp; &quot;Hijos&quot;"), "{html}");
    assert!(!html.contains("<img"), "{html}");
}

#[tokio::test]
async fn a_name_adds_no_header_and_no_command() {
    let server = MailServer::friendly().await;
    let names = [
        "Bar\r\nBcc: todos@otro.example",
        "Bar\nBcc: todos@otro.example\n\nhola",
        "Pérez, Hijos & Cía. \"La Única\" <jefe@otro.example>",
        "\u{2028}Bcc: todos@otro.example",
        &"ñ, ".repeat(60),
        "=?UTF-8?Q?=0D=0ABcc:_todos@otro.example?=",
        "Bar =?iso-8859-1?b?DQpCY2M6IHRvZG9zQG90cm8uZXhhbXBsZQ==?= Ñandú",
        &"=?utf-8?q?a?= ".repeat(20),
    ];

    for name in names {
        let text = format!("{name}\r\n.\r\nMAIL FROM:<otro@otro.example>\r\nRCPT TO:<todos@otro.example>\r\n");
        let mail = Mail { from: name.to_owned(), subject: name.to_owned(), text, ..mail() };
        assert_eq!(send(&server, mail).await, MailOutcome::Accepted, "{name}");
    }

    let mails = server.mails();
    assert_eq!(mails.len(), names.len());
    for (mail, name) in mails.iter().zip(names) {
        let message = parsed(mail);
        let shown: String = name.chars().map(|it| if it.is_control() || it == '\u{2028}' { ' ' } else { it }).collect();
        let from = message.from().unwrap();
        assert_eq!(from.as_list().map(<[_]>::len), Some(1), "{name}");
        assert_eq!(from.first().unwrap().address(), Some("facturas@cobro.example"), "{name}");
        assert_eq!(from.first().unwrap().name().map(single_spaced), Some(single_spaced(&shown)), "{name}");
        assert_eq!(message.subject().map(single_spaced), Some(single_spaced(&shown)), "{name}");
        assert!(message.bcc().is_none() && message.cc().is_none(), "{name}");
        assert!(
            mail.lines().all(|line| line.len() <= 998) && !mail.split("\r\n\r\n").next().unwrap().contains("?Q?=0D"),
            "{name}"
        );
        assert_eq!(message.attachments().count(), 2, "{name}");
    }
    let expected = server.commands();
    assert!(expected.iter().all(|it| !it.contains("otro.example")), "{expected:?}");
}

/// Folding may replace one space by another.
fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn an_address_is_sent_in_the_form_of_smtp() {
    let plain = MailServer::friendly().await;
    let utf8 = Script { extensions: &["8BITMIME", "SMTPUTF8"], ..FRIENDLY };
    let modern = MailServer::following(&[utf8], Begins::Never).await;

    assert_eq!(send(&plain, document_email("es-DO", "rosa@peluquería.example")).await, MailOutcome::Accepted);
    let beyond = document_email("es-DO", "peña@correo.example");
    let refused = MailOutcome::Rejected(EmailProblem::MailboxUnavailable);
    assert_eq!(send(&plain, beyond.clone()).await, refused);
    assert_eq!(send(&modern, beyond).await, MailOutcome::Accepted);
    assert_eq!(send(&plain, document_email("es-DO", "rosa,otra@correo.example")).await, refused);

    assert!(plain.commands().contains(&"RCPT TO:<rosa@xn--peluquera-n5a.example>".to_owned()));
    let expected = modern.commands();
    assert!(expected.contains(&"RCPT TO:<peña@correo.example>".to_owned()), "{expected:?}");
    assert!(expected.iter().any(|it| it.starts_with("MAIL") && it.contains("SMTPUTF8")), "{expected:?}");
    assert_eq!(plain.mails().len(), 1);
}

#[tokio::test]
async fn a_temporary_refusal_is_retried() {
    let puts_off = Script { recipient: Reply::Line("450 4.7.1 come back later"), ..FRIENDLY };
    let server = MailServer::following(&[puts_off, FRIENDLY], Begins::Never).await;

    assert_eq!(send(&server, mail()).await, MailOutcome::Deferred);
    assert_eq!(send(&server, mail()).await, MailOutcome::Accepted);

    assert_eq!(server.mails().len(), 1);
}

#[tokio::test]
async fn a_refusal_is_mapped_by_its_command() {
    use EmailProblem::{DomainNotFound, MailboxUnavailable, MessageRejected};
    use Reply::Line;
    let check = async |script: Script, expected: MailOutcome| {
        let server = MailServer::following(&[script], Begins::Never).await;
        let answer = send(&server, mail()).await;
        assert_eq!(answer, expected, "{:?}", server.commands());
    };
    let recipient = |reply| Script { recipient: Line(reply), ..FRIENDLY };

    check(recipient("550 5.1.1 no such mailbox"), MailOutcome::Rejected(MailboxUnavailable)).await;
    check(recipient("550 5.1.2 no such domain"), MailOutcome::Rejected(DomainNotFound)).await;
    check(recipient("556 5.1.10 takes no mail"), MailOutcome::Rejected(DomainNotFound)).await;
    check(Script { data: Line("554 no"), ..FRIENDLY }, MailOutcome::Rejected(MessageRejected)).await;
    check(Script { mail: Line("554 5.7.1 spam"), ..FRIENDLY }, MailOutcome::Rejected(MessageRejected)).await;
    check(Script { mail: Line("452 4.3.1 full"), ..FRIENDLY }, MailOutcome::Deferred).await;
    check(Script { sender: Line("552 5.3.4 too large"), ..FRIENDLY }, MailOutcome::Rejected(MessageRejected)).await;
    // A refused sender is a fault of the configuration, which may be corrected.
    check(Script { sender: Line("550 5.7.1 who are you"), ..FRIENDLY }, MailOutcome::Deferred).await;
    check(Script { greeting: Line("554 no service"), ..FRIENDLY }, MailOutcome::Deferred).await;
}

#[tokio::test]
async fn only_a_complete_message_may_have_been_accepted() {
    let unaddressed = MailServer::following(&[Script { greeting: Reply::HangsUp, ..FRIENDLY }], Begins::Never).await;
    assert_eq!(send(&unaddressed, mail()).await, MailOutcome::Deferred);
    for (reply, expected) in [(Reply::HangsUp, MailOutcome::Unknown), (Reply::Nothing, MailOutcome::Unknown)] {
        let server = MailServer::following(&[Script { mail: reply, ..FRIENDLY }], Begins::Never).await;
        assert_eq!(send_with_short_timeouts(&server).await, expected);
        assert_eq!(server.mails().len(), 1, "it has it, and we cannot know");
    }
    for script in [
        Script { recipient: Reply::HangsUp, ..FRIENDLY },
        Script { recipient: Reply::Nothing, ..FRIENDLY },
        Script { data: Reply::HangsUp, ..FRIENDLY },
        Script { greeting: Reply::Nothing, ..FRIENDLY },
    ] {
        let server = MailServer::following(&[script], Begins::Never).await;
        assert_eq!(send_with_short_timeouts(&server).await, MailOutcome::Deferred);
        assert_eq!(server.mails().len(), 0);
    }
}

#[tokio::test]
async fn messages_and_passwords_are_sent_over_tls() {
    let says_how = Script { extensions: &["AUTH PLAIN LOGIN"], ..FRIENDLY };
    for (begins, security) in [(Begins::AtOnce, SmtpSecurity::Tls), (Begins::WhenAsked, SmtpSecurity::StartTls)] {
        let server = MailServer::following(std::slice::from_ref(&says_how), begins).await;
        let login = Some(("cobro".to_owned(), Zeroizing::new("secret".to_owned())));
        let smtp = SmtpMailer::new(SmtpOptions { login, ..options(&server, security) }).unwrap();

        assert_eq!(smtp.send(mail()).await, MailOutcome::Accepted);

        let expected = server.commands();
        let place = |word: &str| expected.iter().position(|it| it.starts_with(word));
        assert!(place("AUTH PLAIN AGNvYnJvAHNlY3JldA==").unwrap() > place("EHLO").unwrap(), "{expected:?}");
        assert!(place("AUTH") > place("STARTTLS"), "{expected:?}");
        assert_eq!(server.mails().len(), 1);
    }
}

/// The server's text may quote the password.
#[tokio::test]
async fn a_reply_with_the_password_is_not_quoted() {
    let lines = [
        ("535 5.7.8 no AUTH PLAIN AGNvYnJvAHNlY3JldA==", "the server replied 535"),
        ("unknown: AUTH PLAIN AGNvYnJvAHNlY3JldA==", "the reply cannot be parsed"),
    ];
    for (line, cause) in lines {
        let echo = Script { extensions: &["AUTH PLAIN LOGIN"], login: Reply::Line(line), ..FRIENDLY };
        let server = MailServer::following(&[echo], Begins::Never).await;
        let login = Some(("cobro".to_owned(), Zeroizing::new("secret".to_owned())));
        let smtp = SmtpMailer::new(SmtpOptions { login, ..options(&server, SmtpSecurity::Loopback) }).unwrap();

        let refused = smtp.check().await.unwrap_err();

        assert_eq!(refused.to_string(), format!("the mail server cannot be used: {cause}"));
        assert!(!format!("{refused:?}").contains("AGNvYnJv"));
    }
}

#[tokio::test]
async fn an_untrusted_server_gets_no_command() {
    let (known, begins_untrusted) =
        (MailServer::friendly().await.authority, [Begins::AtOnce, Begins::WhenAsked, Begins::Never]);
    for (begins, security) in
        begins_untrusted.into_iter().zip([SmtpSecurity::Tls, SmtpSecurity::StartTls, SmtpSecurity::StartTls])
    {
        let server = MailServer::following(&[FRIENDLY], begins).await;
        let ca_certificates = Some(known.clone());
        let smtp = SmtpMailer::new(SmtpOptions { ca_certificates, ..options(&server, security) }).unwrap();

        assert_eq!(smtp.send(mail()).await, MailOutcome::Deferred);

        let expected = server.commands();
        assert!(expected.iter().all(|it| it.starts_with("EHLO") || it == "STARTTLS" || it == "QUIT"), "{expected:?}");
    }
}

#[tokio::test]
async fn a_refused_password_defers_the_message() {
    let refuses = Script { extensions: &["AUTH PLAIN"], login: Reply::Line("535 5.7.8 no"), ..FRIENDLY };
    let server = MailServer::following(&[refuses], Begins::AtOnce).await;
    let login = Some(("cobro".to_owned(), Zeroizing::new("wrong".to_owned())));

    let answer =
        SmtpMailer::new(SmtpOptions { login, ..options(&server, SmtpSecurity::Tls) }).unwrap().send(mail()).await;

    assert_eq!(answer, MailOutcome::Deferred);
}
