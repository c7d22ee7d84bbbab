use domain::text::{Email, has_encoded_word};
use lettre::Address;
use url::Host;

/// Returns the address for message and envelope: the domain as the name for the look-up, the mailbox unchanged. Returns
/// `None` if the domain is invalid, or a reader could interpret the mailbox as an encoded word.
pub(super) fn address(email: &Email) -> Option<Address> {
    let (mailbox, domain) = email.as_str().rsplit_once('@')?;
    if has_encoded_word(mailbox) {
        return None;
    }
    let Ok(Host::Domain(domain)) = Host::parse(domain) else { return None };
    Address::new(mailbox, domain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(email: &str, expected: Option<&str>) {
        let address = address(&Email::parse(email).unwrap());

        assert_eq!(address.as_ref().map(AsRef::as_ref), expected);
    }

    #[test]
    fn a_domain_is_encoded_for_the_look_up() {
        check("rosa@correo.example", Some("rosa@correo.example"));
        check("o'brien+facturas@Correo.Example", Some("o'brien+facturas@correo.example"));
        check("rosa@peluquería.example", Some("rosa@xn--peluquera-n5a.example"));
        check("peña@correo.example", Some("peña@correo.example"));
        check("rosa@[127.0.0.1]", None);
        check("rosa@correo_.example>", None);
        check("rosa,otra@correo.example", None);
        check("\"rosa@correo.example", None);
        check("=?utf-8?q?=0d=0abcc?=@correo.example", None);
    }
}
