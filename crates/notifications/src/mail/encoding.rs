use aws_lc_rs::digest::{SHA256, digest};
use base64::{Engine, engine::general_purpose::STANDARD};
use lettre::{
    Address, Message,
    message::{
        Attachment, Mailbox, MultiPart, MultiPartKind, SinglePart,
        header::{ContentType, HeaderName, HeaderValue},
    },
};
use ports::Mail;

use super::address::address;

/// An encoded message. The same mail always has the same bytes, so that servers recognize a duplicate.
pub(super) struct EncodedMail {
    pub(super) to: Address,
    pub(super) bytes: Vec<u8>,
}

/// Encodes a mail; `None` if the recipient's address cannot be used.
///
/// Each header value is encoded or has no line break: a merchant's name cannot add a header.
pub(super) fn encode(mail: &Mail, from: &Address) -> Option<EncodedMail> {
    let to = address(&mail.to)?;
    let (sender, subject) = (Mailbox::new(Some(one_line(&mail.from)), from.clone()), one_line(&mail.subject));
    let mut message = Message::builder()
        .message_id(Some(format!("<{}@{}>", mail.name, from.domain())))
        .date(mail.at.into())
        .from(sender.clone())
        .to(Mailbox::new(None, to.clone()))
        .subject(subject.clone());
    // Readers decode an encoded word anywhere, even across a line break. The library does not encode ASCII text, so
    // text that looks like an encoded word is encoded here.
    if may_have_encoded_word(&subject) {
        let encoded = encoded_words(&subject);
        message = message.raw_header(encoded_header("Subject", subject, encoded));
    }
    if let Some(name) = sender.name.as_deref().filter(|name| may_have_encoded_word(name)) {
        let encoded = format!("{}\r\n <{from}>", encoded_words(name));
        message = message.raw_header(encoded_header("From", sender.to_string(), encoded));
    }
    // Some servers accept no address outside ASCII. The merchant's address must not prevent the delivery.
    let reply_to = mail.reply_to.as_ref().and_then(address);
    let is_plain = |it: &Address| AsRef::<str>::as_ref(it).is_ascii();
    if let Some(reply_to) = reply_to.filter(|it| is_plain(it) || !is_plain(&to)) {
        message = message.reply_to(Mailbox::new(None, reply_to));
    }
    // Suppresses automatic replies (RFC 3834).
    let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
    message = message.raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()));

    let content = part(MultiPartKind::Alternative, mail)
        .singlepart(SinglePart::plain(mail.text.clone()))
        .singlepart(SinglePart::html(mail.html.clone()));
    let mut whole: MultiPart = part(MultiPartKind::Mixed, mail).multipart(content);
    for it in &mail.attachments {
        let media_type = ContentType::parse(it.media_type).ok()?;
        whole = whole.singlepart(Attachment::new(it.name.clone()).body(it.bytes.clone(), media_type));
    }
    let message = message.multipart(whole).ok()?;
    Some(EncodedMail { to, bytes: message.formatted() })
}

/// Whether a reader may interpret a part of the text as an encoded word (RFC 2047, 2).
fn may_have_encoded_word(text: &str) -> bool {
    text.contains("=?")
}

/// Returns the text as encoded words of at most 75 characters, one per line (RFC 2047, 2 and 4.1).
fn encoded_words(text: &str) -> String {
    /// Bytes of one word: 60 characters in base64.
    const MOST: usize = 45;
    let mut chunks = vec![String::new()];
    for symbol in text.chars() {
        match chunks.last_mut() {
            Some(chunk) if chunk.len() + symbol.len_utf8() <= MOST => chunk.push(symbol),
            _ => chunks.push(symbol.to_string()),
        }
    }
    let words = chunks.iter().map(|chunk| format!("=?utf-8?b?{}?=", STANDARD.encode(chunk)));
    words.collect::<Vec<_>>().join("\r\n ")
}

fn encoded_header(name: &'static str, text: String, encoded: String) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(HeaderName::new_from_ascii_str(name), text, encoded)
}

/// Starts a multipart body. The boundary is a digest: unique, and the same for each attempt.
fn part(kind: MultiPartKind, mail: &Mail) -> lettre::message::MultiPartBuilder {
    let digest = digest(&SHA256, format!("{kind:?}/{}", mail.name).as_bytes());
    let line: String = digest.as_ref().iter().take(20).map(|it| format!("{it:02x}")).collect();
    MultiPart::builder().kind(kind).boundary(line)
}

/// Replaces all characters that could end a line.
fn one_line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() || matches!(it, '\u{2028}' | '\u{2029}') { ' ' } else { it }).collect()
}
