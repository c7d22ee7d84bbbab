//! Multipart form with one part `xml`, the format in which DGII receives documents. Its length is known in advance.

use bytes::Bytes;

/// Content type and body of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) content_type: String,
    pub(crate) body: Bytes,
}

impl Form {
    /// Returns a form with the file, unchanged.
    pub(crate) fn with(file_name: &str, xml: &[u8]) -> Self {
        let boundary = boundary(xml);
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"xml\"; filename=\"{file_name}\"\r\n\
             Content-Type: text/xml\r\n\r\n"
        );
        let tail = format!("\r\n--{boundary}--\r\n");
        let body = [head.as_bytes(), xml, tail.as_bytes()].concat();
        Self { content_type: format!("multipart/form-data; boundary={boundary}"), body: body.into() }
    }
}

/// Returns a boundary that does not occur in the file.
fn boundary(xml: &[u8]) -> String {
    let mut boundary = "----cobro-ecf".to_owned();
    while xml.windows(boundary.len()).any(|it| it == boundary.as_bytes()) {
        boundary.push('x');
    }
    boundary
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_holds_the_file_byte_for_byte() {
        let form = Form::with("130000001E310000000001.xml", b"<ECF>\xc3\xa9</ECF>");

        assert_eq!(form.content_type, "multipart/form-data; boundary=----cobro-ecf");
        let expected = "------cobro-ecf\r\nContent-Disposition: form-data; name=\"xml\"; \
                        filename=\"130000001E310000000001.xml\"\r\nContent-Type: text/xml\r\n\r\n<ECF>é</ECF>\r\n\
                        ------cobro-ecf--\r\n";
        assert_eq!(form.body, expected.as_bytes());
    }

    #[test]
    fn a_file_cannot_end_its_form() {
        let form = Form::with("a.xml", b"\r\n------cobro-ecf--\r\n");

        assert!(form.content_type.ends_with("boundary=----cobro-ecfx"));
    }
}
