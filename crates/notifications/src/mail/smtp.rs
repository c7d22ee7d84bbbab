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
    encoding::{EncodedMail, encode},
};

/// Client of a mail server.
pub struct SmtpMailer {
    options: SmtpOptions,
    from: Address,
    hello: ClientId,
    tls: TlsParameters,
}

/// Options of the mail server.
pub struct SmtpOptions {
    /// Host name; the certificate must match.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Encryption of the connection.
    pub security: SmtpSecurity,
    /// User name and password, if the server requires them.
    pub login: Option<(String, Zeroizing<String>)>,
    /// Trusted CA certificates, PEM; `None` for those of the system.
    pub ca_certificates: Option<Vec<u8>>,
    /// Sender address.
    pub from: Email,
    /// Timeouts of an attempt.
    pub timeouts: SmtpTimeouts,
}

/// Encryption of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpSecurity {
    /// TLS from the first byte.
    Tls,
    /// STARTTLS before any command; a server without TLS is refused.
    StartTls,
    /// STARTTLS if the server offers TLS. For a server on this machine.
    Loopback,
}

/// Timeouts of an attempt.
#[derive(Clone, Copy, Debug)]
pub struct SmtpTimeouts {
    /// Until the server accepts the `DATA` command.
    pub until_data: Duration,
    /// Until the server confirms the message.
    pub until_reply: Duration,
}

impl SmtpTimeouts {
    /// The sum is shorter than the lease of a mail.
    pub const STANDARD: Self = Self { until_data: Duration::from_secs(45), until_reply: Duration::from_secs(70) };
}

/// Invalid options of the mail server.
#[derive(Debug, thiserror::Error)]
pub enum SmtpConfigError {
    /// The sender address cannot be used.
    #[error("the sender address cannot be used")]
    From,
    /// The CA certificates cannot be read, or TLS is unavailable.
    #[error("the CA certificates of the mail server cannot be used")]
    Tls(#[source] Error),
}

/// The mail server cannot be reached, or refuses the login.
#[derive(Debug, thiserror::Error)]
#[error("the mail server cannot be used: {0}")]
pub struct SmtpCheckFailed(String);

impl SmtpMailer {
    /// Creates the client. No connection is made yet.
    ///
    /// # Errors
    ///
    /// [`SmtpConfigError`] if an option is invalid.
    pub fn new(options: SmtpOptions) -> Result<Self, SmtpConfigError> {
        let from = address(&options.from).ok_or(SmtpConfigError::From)?;
        let mut tls = TlsParameters::builder(options.host.clone());
        if let Some(pem) = &options.ca_certificates {
            let ca_certificates = Certificate::from_pem(pem).map_err(SmtpConfigError::Tls)?;
            tls = tls.certificate_store(CertificateStore::None).add_root_certificate(ca_certificates);
        }
        let tls = tls.build_rustls().map_err(SmtpConfigError::Tls)?;
        let hello = ClientId::Domain(from.domain().to_owned());
        Ok(Self { options, from, hello, tls })
    }

    /// Connects and logs in, without a message.
    ///
    /// # Errors
    ///
    /// [`SmtpCheckFailed`] with the cause.
    pub async fn check(&self) -> Result<(), SmtpCheckFailed> {
        let mut connection = self.connect().await.map_err(|error| SmtpCheckFailed(describe(&error)))?;
        // The check has succeeded by now.
        let _ = connection.quit().await;
        Ok(())
    }

    /// Sends the envelope, and returns when the server is ready for the message.
    async fn begin(&self, mail: &EncodedMail) -> Result<AsyncSmtpConnection, MailOutcome> {
        let mut connection = self.connect().await.map_err(|error| {
            // A configuration error does not concern this mail: a wrong password may be corrected.
            tracing::error!(error = describe(&error), "the mail server cannot be used");
            MailOutcome::Deferred
        })?;
        let mut options = Vec::new();
        if !mail.bytes.is_ascii() || !AsRef::<str>::as_ref(&mail.to).is_ascii() {
            if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                tracing::warn!("the mail server does not support SMTPUTF8");
                return Err(MailOutcome::Rejected(EmailProblem::MailboxUnavailable));
            }
            options = vec![MailParameter::SmtpUtfEight, MailParameter::Body(MailBodyParameter::EightBitMime)];
        }
        let from = From::new(Some(self.from.clone()), options);
        connection.command(from).await.map_err(|error| before_data(&error, Command::Sender))?;
        let to = Rcpt::new(mail.to.clone(), Vec::new());
        connection.command(to).await.map_err(|error| before_data(&error, Command::Recipient))?;
        connection.command(Data).await.map_err(|error| before_data(&error, Command::Content))?;
        Ok(connection)
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, Error> {
        let SmtpOptions { host, port, security, login, timeouts, .. } = &self.options;
        let implicit = (*security == SmtpSecurity::Tls).then(|| self.tls.clone());
        let at = (host.as_str(), *port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(at, Some(timeouts.until_data), &self.hello, implicit, None).await?;
        let upgrades = match security {
            SmtpSecurity::Tls => false,
            // The command fails if the server does not offer TLS.
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
        let Some(encoded) = encode(&mail, &self.from) else {
            return MailOutcome::Rejected(EmailProblem::MailboxUnavailable);
        };
        let SmtpTimeouts { until_data, until_reply } = self.options.timeouts;
        let mut connection = match timeout(until_data, self.begin(&encoded)).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(answer)) => return answer,
            Err(_) => return MailOutcome::Deferred,
        };
        let answer = match timeout(until_reply, connection.message(&encoded.bytes)).await {
            Ok(Ok(_)) => MailOutcome::Accepted,
            Ok(Err(error)) => after_data(&error),
            // The server has the whole message, or may have.
            Err(_) => MailOutcome::Unknown,
        };
        if answer == MailOutcome::Accepted {
            // The session ends in the background.
            tokio::spawn(timeout(until_data, async move { connection.quit().await.map(drop) }));
        }
        answer
    }
}

/// Describes an error without the server's text, which may quote the password.
fn describe(error: &Error) -> String {
    match error.status() {
        Some(code) => format!("the server replied {code}"),
        None if error.is_response() => "the reply cannot be parsed".to_owned(),
        None if error.is_tls() || error.is_client() => error.to_string(),
        None => {
            let cause = std::error::Error::source(error).and_then(|it| it.downcast_ref::<io::Error>());
            cause.map_or_else(|| "the connection failed".to_owned(), |it| it.kind().to_string())
        }
    }
}

/// Command that the server refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Sender,
    Recipient,
    Content,
}

/// Maps an error before the message, when the server has accepted no mail.
fn before_data(error: &Error, command: Command) -> MailOutcome {
    // The server's text may name the recipient: only the code is logged.
    let status = error.status().map(|it| it.to_string());
    tracing::warn!(?command, status, "the mail server refused a command");
    match command {
        // A refused sender is a fault of the configuration.
        Command::Sender if !is_too_large(error) => MailOutcome::Deferred,
        _ if !error.is_permanent() => MailOutcome::Deferred,
        Command::Recipient if is_domain_error(error) => MailOutcome::Rejected(EmailProblem::DomainNotFound),
        Command::Recipient => MailOutcome::Rejected(EmailProblem::MailboxUnavailable),
        Command::Sender | Command::Content => MailOutcome::Rejected(EmailProblem::MessageRejected),
    }
}

/// Maps an error after the message was sent.
fn after_data(error: &Error) -> MailOutcome {
    let status = error.status().map(|it| it.to_string());
    tracing::warn!(status, "the mail server did not accept the message");
    if error.is_permanent() {
        MailOutcome::Rejected(EmailProblem::MessageRejected)
    } else if error.is_transient() {
        MailOutcome::Deferred
    } else {
        MailOutcome::Unknown
    }
}

/// Whether the recipient's domain does not exist or accepts no mail (RFC 3463, RFC 7505).
fn is_domain_error(error: &Error) -> bool {
    let content = error.to_string();
    ["5.1.2", "5.1.10", "5.4.4"].iter().any(|code| content.split_whitespace().any(|it| it == *code))
}

fn is_too_large(error: &Error) -> bool {
    error.status().is_some_and(|it| it.to_string() == "552")
}
