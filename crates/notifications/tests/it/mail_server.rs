//! Mail servers that follow scripts and record the commands.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::aws_lc_rs::default_provider, pki_types::PrivatePkcs8KeyDer},
};

/// Replies of a server in one session.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) greeting: Reply,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) login: Reply,
    pub(crate) sender: Reply,
    pub(crate) recipient: Reply,
    pub(crate) data: Reply,
    /// Reply to the message.
    pub(crate) mail: Reply,
}

#[derive(Clone, Copy)]
pub(crate) enum Reply {
    /// A reply line.
    Line(&'static str),
    /// Closes the connection.
    HangsUp,
    /// Waits without a reply.
    Nothing,
}

pub(crate) const FRIENDLY: Script = Script {
    greeting: Reply::Line("220 mail.example ESMTP"),
    extensions: &[],
    login: Reply::Line("235 2.7.0 welcome"),
    sender: Reply::Line("250 2.1.0 ok"),
    recipient: Reply::Line("250 2.1.5 ok"),
    data: Reply::Line("354 go on"),
    mail: Reply::Line("250 2.0.0 taken"),
};

/// Start of TLS.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begins {
    Never,
    AtOnce,
    WhenAsked,
}

#[derive(Default)]
struct Received {
    commands: Vec<String>,
    mails: Vec<String>,
}

pub(crate) struct MailServer {
    pub(crate) address: SocketAddr,
    /// CA certificate, PEM.
    pub(crate) authority: Vec<u8>,
    received: Arc<Mutex<Received>>,
}

impl MailServer {
    /// Returns a server that follows one script per session, and the last one for all further sessions.
    pub(crate) async fn following(scripts: &[Script], begins: Begins) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (acceptor, authority) = tls();
        let received: Arc<Mutex<Received>> = Arc::default();
        let mut scripts: VecDeque<Script> = scripts.iter().cloned().collect();
        let hears = received.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let script = if scripts.len() > 1 { scripts.pop_front() } else { scripts.front().cloned() };
                let conversation = Conversation { script: script.unwrap(), received: hears.clone() };
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    if begins == Begins::AtOnce {
                        let Ok(stream) = acceptor.accept(stream).await else { return };
                        conversation.whole(stream).await;
                        return;
                    }
                    let mut stream = BufReader::new(stream);
                    if begins == Begins::Never {
                        conversation.whole(stream).await;
                    } else if conversation.until_tls(&mut stream).await.is_some() {
                        let Ok(stream) = acceptor.accept(stream.into_inner()).await else { return };
                        conversation.talk(&mut BufReader::new(stream), false).await;
                    }
                });
            }
        });
        Self { address, authority, received }
    }

    pub(crate) async fn friendly() -> Self {
        Self::following(&[FRIENDLY], Begins::Never).await
    }

    /// Returns the complete messages.
    pub(crate) fn mails(&self) -> Vec<String> {
        self.received.lock().unwrap().mails.clone()
    }

    /// Returns the other commands.
    pub(crate) fn commands(&self) -> Vec<String> {
        self.received.lock().unwrap().commands.clone()
    }
}

fn tls() -> (TlsAcceptor, Vec<u8>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .unwrap();
    (TlsAcceptor::from(Arc::new(config)), made.cert.pem().into_bytes())
}

struct Conversation {
    script: Script,
    received: Arc<Mutex<Received>>,
}

impl Conversation {
    async fn whole(&self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let mut stream = BufReader::new(stream);
        if self.say(&mut stream, self.script.greeting).await.is_some() {
            self.talk(&mut stream, false).await;
        }
    }

    /// Runs the session up to `STARTTLS`.
    async fn until_tls(&self, stream: &mut (impl AsyncBufReadExt + AsyncWrite + Unpin)) -> Option<()> {
        self.say(stream, self.script.greeting).await?;
        self.talk(stream, true).await
    }

    /// Runs the session until the connection is closed; returns `Some` if TLS starts.
    async fn talk(&self, stream: &mut (impl AsyncBufReadExt + AsyncWrite + Unpin), offers_tls: bool) -> Option<()> {
        loop {
            let line = read_line(stream).await?;
            self.received.lock().unwrap().commands.push(line.clone());
            match line.split_whitespace().next().unwrap_or_default() {
                "EHLO" => {
                    let mut lines = vec!["250-mail.example".to_owned()];
                    lines.extend(self.script.extensions.iter().map(|it| format!("250-{it}")));
                    lines.extend(offers_tls.then(|| "250-STARTTLS".to_owned()));
                    lines.push("250 SIZE 10000000".to_owned());
                    write(stream, &lines.join("\r\n")).await?;
                }
                "STARTTLS" => {
                    write(stream, "220 go on").await?;
                    return Some(());
                }
                "AUTH" => self.say(stream, self.script.login).await?,
                "MAIL" => self.say(stream, self.script.sender).await?,
                "RCPT" => self.say(stream, self.script.recipient).await?,
                "DATA" => {
                    self.say(stream, self.script.data).await?;
                    if matches!(self.script.data, Reply::Line(line) if line.starts_with("354")) {
                        let mail = read_mail(stream).await?;
                        self.received.lock().unwrap().mails.push(mail);
                        self.say(stream, self.script.mail).await?;
                    }
                }
                "QUIT" => {
                    write(stream, "221 farewell").await?;
                    return None;
                }
                _ => write(stream, "500 what?").await?,
            }
        }
    }

    async fn say(&self, stream: &mut (impl AsyncWrite + Unpin), reply: Reply) -> Option<()> {
        match reply {
            Reply::Line(line) => write(stream, line).await,
            Reply::HangsUp => None,
            Reply::Nothing => std::future::pending().await,
        }
    }
}

async fn read_line(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<String> {
    let mut line = String::new();
    let read = stream.read_line(&mut line).await.ok()?;
    (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Reads a message up to the final dot, and removes the dots of dot-stuffing.
async fn read_mail(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<String> {
    let mut mail = String::new();
    loop {
        let line = read_line(stream).await?;
        if line == "." {
            return Some(mail);
        }
        mail.push_str(line.strip_prefix('.').unwrap_or(&line));
        mail.push_str("\r\n");
    }
}

async fn write(stream: &mut (impl AsyncWrite + Unpin), text: &str) -> Option<()> {
    stream.write_all(format!("{text}\r\n").as_bytes()).await.ok()?;
    stream.flush().await.ok()
}
