use std::{
    env,
    path::{Path, PathBuf},
};

use clap::Args;
use domain::text::Email;
use notifications::{SmtpOptions, SmtpSecurity, SmtpTimeouts};
use url::Url;
use zeroize::Zeroizing;

use super::{
    file::SettingsFile,
    variables::{SMTP_CA_FILE, SMTP_FROM, SMTP_PASSWORD_FILE, SMTP_URL, SMTP_USER},
};
use crate::{
    failure::{Done, Failure},
    text_file,
};

/// Neither a flag nor a setting: others may be able to read those.
const PASSWORD: &str = "COBRO_SMTP_PASSWORD";

#[derive(Args, Debug)]
pub(super) struct SmtpSettings {
    /// The mail server, as in smtps://mail.example (TLS from the first byte, port 465) or smtp://mail.example
    /// (STARTTLS, port 587). Without a server e-mails stay queued
    #[arg(long, env = SMTP_URL, value_name = "URL", hide_env_values = true)]
    smtp_url: Option<String>,
    /// Sender address
    #[arg(long, env = SMTP_FROM, value_name = "ADDRESS", hide_env_values = true)]
    smtp_from: Option<String>,
    /// User name for the mail server
    #[arg(long, env = SMTP_USER, value_name = "NAME", hide_env_values = true)]
    smtp_user: Option<String>,
    /// File of the password. COBRO_SMTP_PASSWORD may contain the password instead
    #[arg(long, env = SMTP_PASSWORD_FILE, value_name = "FILE", hide_env_values = true)]
    smtp_password_file: Option<PathBuf>,
    /// File of the CA certificates (PEM) to trust for the mail server. Default: the system's CA certificates
    #[arg(long, env = SMTP_CA_FILE, value_name = "FILE", hide_env_values = true)]
    smtp_ca_file: Option<PathBuf>,
}

/// Address of a mail server.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    host: String,
    port: u16,
    security: SmtpSecurity,
}

impl SmtpSettings {
    /// Returns the mail server, if set.
    pub(super) fn settle(&self, file: &SettingsFile) -> Done<Option<SmtpOptions>> {
        let Some(url) = file.text(self.smtp_url.as_ref(), SMTP_URL) else { return Ok(None) };
        let wrong = || {
            Failure::new(format!(
                "{SMTP_URL} is smtps:// or smtp:// and a host; the name and the password are set by themselves"
            ))
        };
        let Place { host, port, security } = place(&url).ok_or_else(wrong)?;
        let from = file.text(self.smtp_from.as_ref(), SMTP_FROM).as_deref().and_then(Email::parse);
        let from =
            from.ok_or_else(|| Failure::new(format!("{SMTP_FROM} is missing, or no address that mail comes from")))?;
        let password = password(file.path(self.smtp_password_file.as_ref(), SMTP_PASSWORD_FILE))?;
        let login = match (file.text(self.smtp_user.as_ref(), SMTP_USER), password) {
            (Some(user), Some(password)) => Some((user, password)),
            (None, None) => None,
            _ => return Err(Failure::new(format!("{SMTP_USER} and a password go together"))),
        };
        let ca_certificates = file.ca_certificates(self.smtp_ca_file.as_ref(), SMTP_CA_FILE)?;
        Ok(Some(SmtpOptions { host, port, security, login, ca_certificates, from, timeouts: SmtpTimeouts::STANDARD }))
    }
}

fn password(file: Option<&Path>) -> Done<Option<Zeroizing<String>>> {
    let text = env::var(PASSWORD).ok().filter(|it| !it.is_empty()).map(Zeroizing::new);
    match (file, text) {
        (Some(_), Some(_)) => Err(Failure::new(format!("a file of the password and {PASSWORD} are one too many"))),
        (Some(file), None) => text_file::read_password(file).map(Some),
        (None, text) => Ok(text),
    }
}

/// Parses the URL of a mail server. Only a server on this machine is used without TLS.
fn place(url: &str) -> Option<Place> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str().filter(|it| !it.is_empty())?.trim_matches(['[', ']']).to_owned();
    let is_bare = url.username().is_empty()
        && url.password().is_none()
        && matches!(url.path(), "" | "/")
        && url.query().is_none()
        && url.fragment().is_none();
    let is_here = matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1");
    let (security, usual) = match url.scheme() {
        "smtps" => (SmtpSecurity::Tls, 465),
        "smtp" if is_here => (SmtpSecurity::Loopback, 587),
        "smtp" => (SmtpSecurity::StartTls, 587),
        _ => return None,
    };
    is_bare.then(|| Place { host, port: url.port().unwrap_or(usual), security })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expected: Option<(&str, u16, SmtpSecurity)>) {
        let expected = expected.map(|(host, port, security)| Place { host: host.to_owned(), port, security });
        assert_eq!(place(url), expected, "{url}");
    }

    #[test]
    fn plain_smtp_is_for_this_machine_only() {
        check("smtps://mail.example", Some(("mail.example", 465, SmtpSecurity::Tls)));
        check("smtp://mail.example", Some(("mail.example", 587, SmtpSecurity::StartTls)));
        check("smtp://mail.example:25/", Some(("mail.example", 25, SmtpSecurity::StartTls)));
        check("smtp://localhost:1025", Some(("localhost", 1025, SmtpSecurity::Loopback)));
        check("smtp://[::1]:1025", Some(("::1", 1025, SmtpSecurity::Loopback)));
        for url in ["mail.example", "http://mail.example", "smtp://", "smtp://name:word@mail.example", "smtps://a/b"] {
            check(url, None);
        }
    }
}
