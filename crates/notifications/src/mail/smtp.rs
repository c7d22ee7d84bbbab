use std::{io, time::Duration};

use async_trait::async_trait;
use domain::{fiscal::EmailProblem, mailing::MailOutcome, text::Email};
use lettre::{
    Address,
    transport::smtp::{
        Error,
        authentication::{Credentials, Mechanism},
        client::{AsyncSmtpConnection, Certificate, CertificateStore, TlsParameters},
        commands::{Data, Mail as From, Rcpt},
        extension::{ClientId, Extension, MailBodyParameter, MailParameter},
    },
};
use ports::{Mail, Mailer};
use tokio::time::timeout;
use zeroize::Zeroizing;

use super::{
    address::address,
    message::{Spelled, spell},
};

/// A mail server that takes our mail to whomever it is for.
pub struct SmtpMailer {
    options: SmtpOptions,
    from: Address,
    hello: ClientId,
    tls: TlsParameters,
}

/// How it is reached.
pub struct SmtpOptions {
    /// Its name; its certificate must be for it.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How it is kept from others what it is told.
    pub security: SmtpSecurity,
    /// A name and a password, where it asks for them.
    pub login: Option<(String, Zeroizing<String>)>,
    /// The certificates, as PEM, that may vouch for it; those that the system trusts unless given.
    pub authorities: Option<Vec<u8>>,
    /// Whom mail comes from.
    pub from: Email,
    /// How long it may take.
    pub patience: SmtpTimeouts,
}

/// How a connection is kept from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpSecurity {
    /// TLS from the first byte.
    Tls,
    /// TLS before anything is told; a server that has none is told nothing.
    StartTls,
    /// TLS if the server has it. For a server on this machine alone.
    Loopback,
}

/// How long a server may take.
#[derive(Clone, Copy, Debug)]
pub struct SmtpTimeouts {
    /// Until it wants to have the mail.
    pub until_data: Duration,
    /// From there until it has said what it makes of it.
    pub until_answer: Duration,
}

impl SmtpTimeouts {
    /// Together they are shorter than anybody else leaves the mail alone.
    pub const STANDARD: Self = Self { until_data: Duration::from_secs(45), until_answer: Duration::from_secs(70) };
}

/// The server cannot be used in this way.
#[derive(Debug, thiserror::Error)]
pub enum SmtpConfigError {
    /// Nobody can answer there.
    #[error("mail cannot come from that address")]
    From,
    /// The certificates are none, or there is no TLS.
    #[error("nothing can vouch for the mail server")]
    Tls(#[source] Error),
}

/// The server could not be reached, or did not let us in.
#[derive(Debug, thiserror::Error)]
#[error("the mail server cannot be used: {0}")]
pub struct SmtpCheckFailed(String);

impl SmtpMailer {
    /// The server. It is not asked yet.
    ///
    /// # Errors
    ///
    /// [`SmtpConfigError`], of the options alone.
    pub fn new(options: SmtpOptions) -> Result<Self, SmtpConfigError> {
        let from = address(&options.from).ok_or(SmtpConfigError::From)?;
        let mut tls = TlsParameters::builder(options.host.clone());
        if let Some(pem) = &options.authorities {
            let authorities = Certificate::from_pem(pem).map_err(SmtpConfigError::Tls)?;
            tls = tls.certificate_store(CertificateStore::None).add_root_certificate(authorities);
        }
        let tls = tls.build_rustls().map_err(SmtpConfigError::Tls)?;
        let hello = ClientId::Domain(from.domain().to_owned());
        Ok(Self { options, from, hello, tls })
    }

    /// Whether the server can be reached, over TLS where that is asked for, and lets us in. No mail is handed over.
    ///
    /// # Errors
    ///
    /// [`SmtpCheckFailed`], with what went wrong.
    pub async fn greets(&self) -> Result<(), SmtpCheckFailed> {
        let mut connection = self.connect().await.map_err(|error| SmtpCheckFailed(in_our_words(&error)))?;
        // It has greeted: how it takes its leave is of no matter.
        let _ = connection.quit().await;
        Ok(())
    }

    /// Says who writes to whom. A server that answers to the end of it wants to have the mail.
    async fn begin(&self, mail: &Spelled) -> Result<AsyncSmtpConnection, MailOutcome> {
        let mut connection = self.connect().await.map_err(|error| {
            // Not the mail's fault: a password that is wrong today may be right tomorrow.
            tracing::error!(error = in_our_words(&error), "the mail server cannot be used");
            MailOutcome::Deferred
        })?;
        let mut options = Vec::new();
        if !mail.bytes.is_ascii() || !AsRef::<str>::as_ref(&mail.to).is_ascii() {
            if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                tracing::warn!("the mail server takes no address outside ASCII");
                return Err(MailOutcome::Rejected(EmailProblem::MailboxUnavailable));
            }
            options = vec![MailParameter::SmtpUtfEight, MailParameter::Body(MailBodyParameter::EightBitMime)];
        }
        let from = From::new(Some(self.from.clone()), options);
        connection.command(from).await.map_err(|error| before_data(&error, Stage::Sender))?;
        let to = Rcpt::new(mail.to.clone(), Vec::new());
        connection.command(to).await.map_err(|error| before_data(&error, Stage::Recipient))?;
        connection.command(Data).await.map_err(|error| before_data(&error, Stage::Content))?;
        Ok(connection)
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, Error> {
        let SmtpOptions { host, port, security, login, patience, .. } = &self.options;
        let implicit = (*security == SmtpSecurity::Tls).then(|| self.tls.clone());
        let at = (host.as_str(), *port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(at, Some(patience.until_data), &self.hello, implicit, None).await?;
        let upgrades = match security {
            SmtpSecurity::Tls => false,
            // One that offers none is refused there.
            SmtpSecurity::StartTls => true,
            SmtpSecurity::Loopback => connection.can_starttls(),
        };
        if upgrades {
            connection.starttls(self.tls.clone(), &self.hello).await?;
        }
        if let Some((user, password)) = login {
            let credentials = Credentials::new(user.clone(), String::clone(password));
            connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials).await?;
        }
        Ok(connection)
    }
}

#[async_trait]
impl Mailer for SmtpMailer {
    async fn send(&self, mail: Mail) -> MailOutcome {
        let Some(spelled) = spell(&mail, &self.from) else {
            return MailOutcome::Rejected(EmailProblem::MailboxUnavailable);
        };
        let SmtpTimeouts { until_data, until_answer } = self.options.patience;
        let mut connection = match timeout(until_data, self.begin(&spelled)).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(answer)) => return answer,
            Err(_) => return MailOutcome::Deferred,
        };
        let answer = match timeout(until_answer, connection.message(&spelled.bytes)).await {
            Ok(Ok(_)) => MailOutcome::Accepted,
            Ok(Err(error)) => after_data(&error),
            // It has the whole of it, or may have.
            Err(_) => MailOutcome::Unknown,
        };
        if answer == MailOutcome::Accepted {
            // A farewell that nobody waits for.
            tokio::spawn(timeout(until_data, async move { connection.quit().await.map(drop) }));
        }
        answer
    }
}

/// What went wrong, without the words of the server: those may be ours, with the password in them.
fn in_our_words(error: &Error) -> String {
    match error.status() {
        Some(code) => format!("it answered {code}"),
        None if error.is_response() => "what it says cannot be understood".to_owned(),
        None if error.is_tls() || error.is_client() => error.to_string(),
        None => {
            let beneath = std::error::Error::source(error).and_then(|it| it.downcast_ref::<io::Error>());
            beneath.map_or_else(|| "the connection failed".to_owned(), |it| it.kind().to_string())
        }
    }
}

/// What a server was told when it refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Sender,
    Recipient,
    Content,
}

/// What a refusal before the mail itself comes to. Nothing was taken, whatever went wrong.
fn before_data(error: &Error, stage: Stage) -> MailOutcome {
    // What it says may name the recipient: the code alone is for the log.
    let status = error.status().map(|it| it.to_string());
    tracing::warn!(?stage, status, "a mail server refused");
    match stage {
        // That we may not write is our affair, and no recipient's.
        Stage::Sender if !is_too_large(error) => MailOutcome::Deferred,
        _ if !error.is_permanent() => MailOutcome::Deferred,
        Stage::Recipient if is_about_the_domain(error) => MailOutcome::Rejected(EmailProblem::DomainNotFound),
        Stage::Recipient => MailOutcome::Rejected(EmailProblem::MailboxUnavailable),
        Stage::Sender | Stage::Content => MailOutcome::Rejected(EmailProblem::MessageRejected),
    }
}

/// What became of a mail that was told.
fn after_data(error: &Error) -> MailOutcome {
    let status = error.status().map(|it| it.to_string());
    tracing::warn!(status, "a mail server did not take a mail");
    if error.is_permanent() {
        MailOutcome::Rejected(EmailProblem::MessageRejected)
    } else if error.is_transient() {
        MailOutcome::Deferred
    } else {
        MailOutcome::Unknown
    }
}

/// Whether a server says that the recipient's domain is none, or takes no mail (RFC 3463, RFC 7505).
fn is_about_the_domain(error: &Error) -> bool {
    let said = error.to_string();
    ["5.1.2", "5.1.10", "5.4.4"].iter().any(|code| said.split_whitespace().any(|it| it == *code))
}

fn is_too_large(error: &Error) -> bool {
    error.status().is_some_and(|it| it.to_string() == "552")
}
