//! The body of an e-mail in blocks, which are rendered as text and as HTML.

use super::language::Language;

/// Block of an e-mail.
pub(super) enum Block {
    /// A warning.
    Notice(String),
    /// A paragraph, or one for each line.
    Text(String),
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// Names and values that are aligned to the right.
    Amounts(Vec<(String, String)>),
    /// Space between tables.
    Gap,
    /// A text, and the address below.
    Link(String, String),
    /// Preformatted text.
    Preformatted(String),
}

/// Renders the blocks as text, with a blank line between them.
pub(super) fn text(blocks: &[Block]) -> String {
    let text: String = blocks.iter().map(Block::text).collect();
    format!("{}\n", text.trim_end_matches('\n'))
}

/// Renders the blocks as HTML without images, scripts or other remote content, so that reading the e-mail is not tracked.
pub(super) fn html(language: Language, blocks: &[Block]) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"></head>\
         <body style=\"font-family:sans-serif\">{}</body></html>\n",
        language.pick("es-DO", "en"),
        blocks.iter().map(Block::html).collect::<String>()
    )
}

impl Block {
    fn text(&self) -> String {
        match self {
            Self::Notice(text) | Self::Text(text) | Self::Preformatted(text) => format!("{text}\n\n"),
            Self::Facts(rows) | Self::Amounts(rows) => {
                rows.iter().map(|(name, value)| format!("{name}: {value}\n")).chain(["\n".to_owned()]).collect()
            }
            Self::Gap => String::new(),
            Self::Link(text, url) => format!("{text}\n{url}\n\n"),
        }
    }

    fn html(&self) -> String {
        match self {
            Self::Notice(text) => format!("<p><strong>{}</strong></p>", escape_html(text)),
            Self::Text(text) => text.lines().map(|line| format!("<p>{}</p>", escape_html(line))).collect(),
            Self::Facts(rows) => table(rows, ""),
            Self::Amounts(rows) => table(rows, " style=\"text-align:right\""),
            Self::Gap => "<br>".to_owned(),
            Self::Link(text, url) => {
                let (text, url) = (escape_html(text), escape_html(url));
                format!("<p>{text}<br><a href=\"{url}\" style=\"word-break:break-all\">{url}</a></p>")
            }
            Self::Preformatted(text) => format!("<pre>{}</pre>", escape_html(text)),
        }
    }
}

fn table(rows: &[(String, String)], style: &str) -> String {
    let row = |(name, value): &(String, String)| {
        let (name, value) = (escape_html(name), escape_html(value));
        format!("<tr><td style=\"padding:2px 16px 2px 0\">{name}</td><td{style}>{value}</td></tr>")
    };
    format!("<table>{}</table>", rows.iter().map(row).collect::<String>())
}

/// Escapes text for HTML.
fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for symbol in text.chars() {
        match symbol {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(symbol),
        }
    }
    escaped
}
