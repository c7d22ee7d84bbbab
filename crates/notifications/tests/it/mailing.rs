//! Mail that is handed over to servers of every kind, and read again by somebody else's parser.

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

use crate::mail_server::{Begins, FRIENDLY, MailServer, Said, Script};

/// Bytes that no encoding of text survives.
const PDF: &[u8] = b"%PDF-1.7\r\n.\r\n\0\xff\n..\n";
const XML: &[u8] = "<ECF>Peñón\n.\n</ECF>".as_bytes();

fn papers() -> Papers {
    Papers { signed: XML.to_vec(), printed: PDF.to_vec() }
}

fn wish(email: &str) -> DocumentEmail {
    DocumentEmail { email: Email::parse(email).unwrap(), ..sample::delivery(1, 1) }
}

/// The mail that brings the sample's document, in that language.
fn letter(locale: &str, email: &str) -> Mail {
    let mut sale = sample::issued(1);
    sale.payment.facts.display.locale = BoundedText::parse(locale).unwrap();
    sale.payment.facts.display.merchant.support_email = Email::parse("ayuda@comercio.example");
    let DocumentStage::Issued(issued) = sale.document.stage() else { panic!("the sample is issued") };
    EmailTemplates.document(&sale, issued, &wish(email), papers())
}

fn mail() -> Mail {
    letter("es-DO", "rosa@correo.example")
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

/// Whoever is impatient.
async fn send_in_haste(server: &MailServer) -> MailOutcome {
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

/// A server that takes no address outside ASCII, of which there are many, is asked for none by whom answers would go to.
#[tokio::test]
async fn an_odd_address_of_the_merchant_keeps_no_mail_from_its_reader() {
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
fn a_mail_states_what_was_computed_in_the_language_of_the_checkout() {
    let spanish = letter("es-DO", "rosa@correo.example").text;
    let english = letter("en-US", "rosa@correo.example").text;

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
fn what_is_called_like_markup_stays_text() {
    let mut sale = sample::issued(1);
    sale.payment.facts.display.merchant.display_name = BoundedText::parse("<img src=x> & \"Hijos\"").unwrap();
    let DocumentStage::Issued(issued) = sale.document.stage() else { panic!("the sample is issued") };

    let html = EmailTemplates.document(&sale, issued, &wish("rosa@correo.example"), papers()).html;

    assert!(html.contains("&lt;img src=x&gt; &amp; &quot;Hijos&quot;"), "{html}");
    assert!(!html.contains("<img"), "{html}");
}

#[tokio::test]
async fn no_name_becomes_a_head_or_a_command_of_its_own() {
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
        assert_eq!(from.first().unwrap().name().map(squeezed), Some(squeezed(&shown)), "{name}");
        assert_eq!(message.subject().map(squeezed), Some(squeezed(&shown)), "{name}");
        assert!(message.bcc().is_none() && message.cc().is_none(), "{name}");
        assert!(
            mail.lines().all(|line| line.len() <= 998) && !mail.split("\r\n\r\n").next().unwrap().contains("?Q?=0D"),
            "{name}"
        );
        assert_eq!(message.attachments().count(), 2, "{name}");
    }
    let told = server.commands();
    assert!(told.iter().all(|it| !it.contains("otro.example")), "{told:?}");
}

/// Folding may spell one space for another.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn an_address_is_handed_over_as_servers_read_it() {
    let plain = MailServer::friendly().await;
    let utf8 = Script { extensions: &["8BITMIME", "SMTPUTF8"], ..FRIENDLY };
    let modern = MailServer::following(&[utf8], Begins::Never).await;

    assert_eq!(send(&plain, letter("es-DO", "rosa@peluquería.example")).await, MailOutcome::Accepted);
    let beyond = letter("es-DO", "peña@correo.example");
    let refused = MailOutcome::Rejected(EmailProblem::MailboxUnavailable);
    assert_eq!(send(&plain, beyond.clone()).await, refused);
    assert_eq!(send(&modern, beyond).await, MailOutcome::Accepted);
    assert_eq!(send(&plain, letter("es-DO", "rosa,otra@correo.example")).await, refused);

    assert!(plain.commands().contains(&"RCPT TO:<rosa@xn--peluquera-n5a.example>".to_owned()));
    let told = modern.commands();
    assert!(told.contains(&"RCPT TO:<peña@correo.example>".to_owned()), "{told:?}");
    assert!(told.iter().any(|it| it.starts_with("MAIL") && it.contains("SMTPUTF8")), "{told:?}");
    assert_eq!(plain.mails().len(), 1);
}

#[tokio::test]
async fn who_is_put_off_may_come_again() {
    let puts_off = Script { recipient: Said::Line("450 4.7.1 come back later"), ..FRIENDLY };
    let server = MailServer::following(&[puts_off, FRIENDLY], Begins::Never).await;

    assert_eq!(send(&server, mail()).await, MailOutcome::Deferred);
    assert_eq!(send(&server, mail()).await, MailOutcome::Accepted);

    assert_eq!(server.mails().len(), 1);
}

#[tokio::test]
async fn a_refusal_is_told_by_where_it_comes() {
    use EmailProblem::{DomainNotFound, MailboxUnavailable, MessageRejected};
    use Said::Line;
    let check = async |script: Script, expected: MailOutcome| {
        let server = MailServer::following(&[script], Begins::Never).await;
        let answer = send(&server, mail()).await;
        assert_eq!(answer, expected, "{:?}", server.commands());
    };
    let recipient = |said| Script { recipient: Line(said), ..FRIENDLY };

    check(recipient("550 5.1.1 no such mailbox"), MailOutcome::Rejected(MailboxUnavailable)).await;
    check(recipient("550 5.1.2 no such domain"), MailOutcome::Rejected(DomainNotFound)).await;
    check(recipient("556 5.1.10 takes no mail"), MailOutcome::Rejected(DomainNotFound)).await;
    check(Script { data: Line("554 no"), ..FRIENDLY }, MailOutcome::Rejected(MessageRejected)).await;
    check(Script { mail: Line("554 5.7.1 spam"), ..FRIENDLY }, MailOutcome::Rejected(MessageRejected)).await;
    check(Script { mail: Line("452 4.3.1 full"), ..FRIENDLY }, MailOutcome::Deferred).await;
    check(Script { sender: Line("552 5.3.4 too large"), ..FRIENDLY }, MailOutcome::Rejected(MessageRejected)).await;
    // What is our own fault is no recipient's: it may be mended.
    check(Script { sender: Line("550 5.7.1 who are you"), ..FRIENDLY }, MailOutcome::Deferred).await;
    check(Script { greeting: Line("554 no service"), ..FRIENDLY }, MailOutcome::Deferred).await;
}

#[tokio::test]
async fn only_what_was_sent_whole_may_be_there() {
    let nobody = MailServer::following(&[Script { greeting: Said::HangsUp, ..FRIENDLY }], Begins::Never).await;
    assert_eq!(send(&nobody, mail()).await, MailOutcome::Deferred);
    for (said, expected) in [(Said::HangsUp, MailOutcome::Unknown), (Said::Nothing, MailOutcome::Unknown)] {
        let server = MailServer::following(&[Script { mail: said, ..FRIENDLY }], Begins::Never).await;
        assert_eq!(send_in_haste(&server).await, expected);
        assert_eq!(server.mails().len(), 1, "it has it, and we cannot know");
    }
    for script in [
        Script { recipient: Said::HangsUp, ..FRIENDLY },
        Script { recipient: Said::Nothing, ..FRIENDLY },
        Script { data: Said::HangsUp, ..FRIENDLY },
        Script { greeting: Said::Nothing, ..FRIENDLY },
    ] {
        let server = MailServer::following(&[script], Begins::Never).await;
        assert_eq!(send_in_haste(&server).await, MailOutcome::Deferred);
        assert_eq!(server.mails().len(), 0);
    }
}

#[tokio::test]
async fn a_mail_and_a_password_travel_in_private() {
    let says_how = Script { extensions: &["AUTH PLAIN LOGIN"], ..FRIENDLY };
    for (begins, security) in [(Begins::AtOnce, SmtpSecurity::Tls), (Begins::WhenAsked, SmtpSecurity::StartTls)] {
        let server = MailServer::following(std::slice::from_ref(&says_how), begins).await;
        let login = Some(("cobro".to_owned(), Zeroizing::new("secret".to_owned())));
        let smtp = SmtpMailer::new(SmtpOptions { login, ..options(&server, security) }).unwrap();

        assert_eq!(smtp.send(mail()).await, MailOutcome::Accepted);

        let told = server.commands();
        let place = |word: &str| told.iter().position(|it| it.starts_with(word));
        assert!(place("AUTH PLAIN AGNvYnJvAHNlY3JldA==").unwrap() > place("EHLO").unwrap(), "{told:?}");
        assert!(place("AUTH") > place("STARTTLS"), "{told:?}");
        assert_eq!(server.mails().len(), 1);
    }
}

/// Its own words may be ours, with the password in them.
#[tokio::test]
async fn what_a_server_says_of_a_password_is_not_said_again() {
    let lines = [
        ("535 5.7.8 no AUTH PLAIN AGNvYnJvAHNlY3JldA==", "it answered 535"),
        ("unknown: AUTH PLAIN AGNvYnJvAHNlY3JldA==", "what it says cannot be understood"),
    ];
    for (line, told) in lines {
        let echo = Script { extensions: &["AUTH PLAIN LOGIN"], login: Said::Line(line), ..FRIENDLY };
        let server = MailServer::following(&[echo], Begins::Never).await;
        let login = Some(("cobro".to_owned(), Zeroizing::new("secret".to_owned())));
        let smtp = SmtpMailer::new(SmtpOptions { login, ..options(&server, SmtpSecurity::Loopback) }).unwrap();

        let refused = smtp.check().await.unwrap_err();

        assert_eq!(refused.to_string(), format!("the mail server cannot be used: {told}"));
        assert!(!format!("{refused:?}").contains("AGNvYnJv"));
    }
}

#[tokio::test]
async fn a_server_that_nobody_vouches_for_is_told_nothing() {
    let (known, stranger) =
        (MailServer::friendly().await.authority, [Begins::AtOnce, Begins::WhenAsked, Begins::Never]);
    for (begins, security) in
        stranger.into_iter().zip([SmtpSecurity::Tls, SmtpSecurity::StartTls, SmtpSecurity::StartTls])
    {
        let server = MailServer::following(&[FRIENDLY], begins).await;
        let ca_certificates = Some(known.clone());
        let smtp = SmtpMailer::new(SmtpOptions { ca_certificates, ..options(&server, security) }).unwrap();

        assert_eq!(smtp.send(mail()).await, MailOutcome::Deferred);

        let told = server.commands();
        assert!(told.iter().all(|it| it.starts_with("EHLO") || it == "STARTTLS" || it == "QUIT"), "{told:?}");
    }
}

#[tokio::test]
async fn a_password_that_is_wrong_today_may_be_right_tomorrow() {
    let refuses = Script { extensions: &["AUTH PLAIN"], login: Said::Line("535 5.7.8 no"), ..FRIENDLY };
    let server = MailServer::following(&[refuses], Begins::AtOnce).await;
    let login = Some(("cobro".to_owned(), Zeroizing::new("wrong".to_owned())));

    let answer =
        SmtpMailer::new(SmtpOptions { login, ..options(&server, SmtpSecurity::Tls) }).unwrap().send(mail()).await;

    assert_eq!(answer, MailOutcome::Deferred);
}
