use aws_lc_rs::digest::{SHA256, digest};
use lettre::{
    Address, Message,
    message::{
        Attachment, Mailbox, MultiPart, MultiPartKind, SinglePart,
        header::{ContentType, HeaderName, HeaderValue},
    },
};
use ports::Mail;

use super::address::address;

/// A mail as it is handed over. The same mail always comes to the same bytes, so that a second copy of it is known for one.
pub(super) struct Spelled {
    pub(super) to: Address,
    pub(super) bytes: Vec<u8>,
}

/// Spells a mail that comes from `from`; `None` if nobody can be written to at its address.
///
/// Every value of a head is encoded here or has no character that ends it: what a merchant is called cannot become a head of
/// its own.
pub(super) fn spell(mail: &Mail, from: &Address) -> Option<Spelled> {
    let to = address(&mail.to)?;
    let mut message = Message::builder()
        .message_id(Some(format!("<{}@{}>", mail.name, from.domain())))
        .date(mail.at.into())
        .from(Mailbox::new(Some(one_line(&mail.from)), from.clone()))
        .to(Mailbox::new(None, to.clone()))
        .subject(one_line(&mail.subject));
    // Not every server takes an address outside ASCII: that of the merchant must not keep the mail from its reader.
    let reply_to = mail.reply_to.as_ref().and_then(address);
    let is_plain = |it: &Address| AsRef::<str>::as_ref(it).is_ascii();
    if let Some(reply_to) = reply_to.filter(|it| is_plain(it) || !is_plain(&to)) {
        message = message.reply_to(Mailbox::new(None, reply_to));
    }
    // Nobody's holiday is to be answered by a machine (RFC 3834).
    let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
    message = message.raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()));

    let said = part(MultiPartKind::Alternative, mail)
        .singlepart(SinglePart::plain(mail.text.clone()))
        .singlepart(SinglePart::html(mail.html.clone()));
    let mut whole: MultiPart = part(MultiPartKind::Mixed, mail).multipart(said);
    for it in &mail.attachments {
        let media_type = ContentType::parse(it.media_type).ok()?;
        whole = whole.singlepart(Attachment::new(it.name.clone()).body(it.bytes.clone(), media_type));
    }
    let message = message.multipart(whole).ok()?;
    Some(Spelled { to, bytes: message.formatted() })
}

/// A part with parts, and what parts them: a line that is nowhere in the mail, and the same each time.
fn part(kind: MultiPartKind, mail: &Mail) -> lettre::message::MultiPartBuilder {
    let digest = digest(&SHA256, format!("{kind:?}/{}", mail.name).as_bytes());
    let line: String = digest.as_ref().iter().take(20).map(|it| format!("{it:02x}")).collect();
    MultiPart::builder().kind(kind).boundary(line)
}

/// A text without whatever could end a line.
fn one_line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() || matches!(it, '\u{2028}' | '\u{2029}') { ' ' } else { it }).collect()
}
