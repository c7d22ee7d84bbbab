//! The mail server of the sandbox.

use std::sync::Arc;

use domain::{fiscal::EmailProblem, mailing::MailOutcome, text::Email};
use ports::{Attachment, Mail, Mailer};
use sandbox::{AttachmentView, Fault, Faults, MailServer, MailView, Target};
use testkit::sample;

fn mail(name: &str, to: &str) -> Mail {
    Mail {
        name: name.to_owned(),
        at: sample::noon(),
        from: "Comercio".to_owned(),
        reply_to: None,
        to: Email::parse(to).unwrap(),
        subject: format!("Factura {name}"),
        text: "Hola".to_owned(),
        html: "<p>Hola</p>".to_owned(),
        attachments: vec![Attachment { name: "E32.xml".to_owned(), media_type: "application/xml", bytes: vec![1; 9] }],
    }
}

fn subjects(server: &MailServer) -> Vec<String> {
    server.mails().into_iter().map(|it| it.subject).collect()
}

#[tokio::test]
async fn received_mails_are_newest_first_and_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = || MailServer::open(&folder.path().join("mail.journal"), Arc::default()).unwrap();
    let server = open();

    for name in ["1", "2", "1"] {
        assert_eq!(server.send(mail(name, "rosa@correo.example")).await, MailOutcome::Accepted);
    }

    let shown = server.mails();
    drop(server);
    let server = open();
    assert_eq!(server.mails(), shown);
    assert_eq!(subjects(&server), ["Factura 2", "Factura 1"], "a message that it has is the same message");
    let attachments = vec![AttachmentView { filename: "E32.xml".to_owned(), size_bytes: 9 }];
    let (to, subject, text) = ("rosa@correo.example".to_owned(), "Factura 2".to_owned(), "Hola".to_owned());
    assert_eq!(shown[0], MailView { to, subject, text, attachments });
}

#[tokio::test]
async fn a_fault_loses_the_mail_or_the_answer() {
    let faults = Arc::new(Faults::default());
    let server = MailServer::in_memory(faults.clone());
    for fault in Fault::ALL {
        faults.inject(Target::Mail, fault, 1).unwrap();
        let before = server.mails().len();

        let answer = server.send(mail(fault.as_str(), "rosa@correo.example")).await;

        let has_come = server.mails().len() > before;
        let expected = if fault == Fault::BeforeRequest { MailOutcome::Deferred } else { MailOutcome::Unknown };
        assert_eq!((answer, has_come), (expected, expected == MailOutcome::Unknown), "{}", fault.as_str());
    }
}

#[tokio::test]
async fn some_mailboxes_reject_or_defer_by_name() {
    let server = MailServer::in_memory(Arc::default());

    for problem in EmailProblem::ALL {
        let to = format!("{}@correo.example", problem.as_str());
        assert_eq!(server.send(mail("1", &to)).await, MailOutcome::Rejected(problem));
    }
    assert_eq!(server.send(mail("2", "put_off@correo.example")).await, MailOutcome::Deferred);
    assert_eq!(subjects(&server), Vec::<String>::new());
    assert_eq!(server.send(mail("2", "put_off@correo.example")).await, MailOutcome::Accepted);
    assert_eq!(subjects(&server), ["Factura 2"]);
}
