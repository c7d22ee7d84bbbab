//! Title, author and date of a document.

use chrono::{Datelike, Timelike};
use pdf_writer::{Date, Name, Ref, Str, TextStr, writers::DocumentInfo};

use crate::{file::PdfFile, invoice_layout::InvoiceLayout};

/// Writes the dictionary that most viewers show.
pub(crate) fn write_info(layout: &InvoiceLayout, file: &mut PdfFile) -> Ref {
    let id = file.reserve();
    let mut info: DocumentInfo<'_> = file.object(id).indirect(id).start();
    let title = title(layout);
    // Latin letters have one byte each in PDF's own encoding, where they are the same as in Unicode.
    let short: Result<Vec<u8>, _> = title.chars().map(u8::try_from).collect();
    match short {
        Ok(short) => info.pair(Name(b"Title"), Str(&short)),
        Err(_) => info.pair(Name(b"Title"), TextStr(&title)),
    };
    info.author(TextStr(&layout.trade_name)).creation_date(date(layout));
    id
}

/// Writes the metadata of PDF/A-2a: ISO 19005-2, 6.6. Archives read them without decompression.
pub(crate) fn write_xmp(layout: &InvoiceLayout, file: &mut PdfFile) -> Ref {
    let packet = format!(
        "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\
         <x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
         <rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
         xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\" \
         xmp:CreateDate=\"{}\"><pdfaid:part>2</pdfaid:part><pdfaid:conformance>A</pdfaid:conformance>\
         <dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">{}</rdf:li></rdf:Alt></dc:title>\
         <dc:creator><rdf:Seq><rdf:li>{}</rdf:li></rdf:Seq></dc:creator>\
         </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>",
        layout.signed_at.format("%Y-%m-%dT%H:%M:%SZ"),
        escaped(&title(layout)),
        escaped(&layout.trade_name),
    );
    file.ready_stream("/Type/Metadata/Subtype/XML", packet.as_bytes())
}

fn title(layout: &InvoiceLayout) -> String {
    let number = layout.numbers.first().map(String::as_str).unwrap_or_default();
    format!("{} {number}", layout.title)
}

/// Time of the signature. The time of rendering would change the bytes.
fn date(layout: &InvoiceLayout) -> Date {
    let at = layout.signed_at;
    let small = |number: u32| u8::try_from(number).unwrap_or_default();
    Date::new(u16::try_from(at.year()).unwrap_or_default())
        .month(small(at.month()))
        .day(small(at.day()))
        .hour(small(at.hour()))
        .minute(small(at.minute()))
        .second(small(at.second()))
        .utc_offset_hour(0)
        .utc_offset_minute(0)
}

/// Escapes a text for XML, without characters that XML forbids.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => {}
            _ if character.is_control() => {}
            _ => escaped.push(character),
        }
    }
    escaped
}
