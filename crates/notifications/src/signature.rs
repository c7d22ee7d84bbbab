use aws_lc_rs::hmac;
use base64::{Engine, engine::general_purpose::STANDARD};

/// Returns the `webhook-signature` of a message by Standard Webhooks 1.0.0: one signature per secret, separated by
/// spaces. A secret is the bytes encoded after `whsec_`.
pub fn sign(secrets: &[impl AsRef<[u8]>], id: &str, timestamp: i64, body: &[u8]) -> String {
    let signatures: Vec<String> = secrets.iter().map(|it| signature(it.as_ref(), id, timestamp, body)).collect();
    signatures.join(" ")
}

fn signature(secret: &[u8], id: &str, timestamp: i64, body: &[u8]) -> String {
    let mut signing = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, secret));
    signing.update(format!("{id}.{timestamp}.").as_bytes());
    signing.update(body);
    format!("v1,{}", STANDARD.encode(signing.sign()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with Python's `hmac`: key `0123456789abcdef0123456789abcdef`, message `event_1.1764324000.{"a":1}`.
    #[test]
    fn a_signature_is_the_one_that_others_compute() {
        let secret = b"0123456789abcdef0123456789abcdef";

        let signed = sign(&[secret], "event_1", 1_764_324_000, br#"{"a":1}"#);

        assert_eq!(signed, "v1,TBWhT5P90kuQpm4qbiONGBOkNuSvUohnORP33kG15tw=");
    }

    #[test]
    fn two_secrets_sign_side_by_side() {
        let both = sign(&[b"one", b"two"], "event_1", 1, b"{}");
        let alone = [b"one", b"two"].map(|it| sign(&[it], "event_1", 1, b"{}"));

        assert_eq!(both, alone.join(" "));
    }
}
