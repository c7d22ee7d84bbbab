use ports::CredentialVault;
use vault::{MasterKey, NotAKey, Vault};

fn sealed_under(key: &MasterKey) -> Vec<u8> {
    Vault::new(key).seal("context", b"secret").unwrap()
}

#[track_caller]
fn spells(text: &str, bytes: [u8; 32]) {
    let sealed = sealed_under(&MasterKey::from_bytes(bytes));
    let key = MasterKey::from_text(text).expect("a key");
    assert!(Vault::new(&key).open("context", &sealed).is_ok());
}

#[test]
fn a_key_is_written_in_hexadecimal_or_in_base64() {
    let bytes = std::array::from_fn(|it| 0xe0 | it as u8);

    spells("e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", bytes);
    spells("E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF", bytes);
    spells("  4OHi4+Tl5ufo6err7O3u7/Dx8vP09fb3+Pn6+/z9/v8=\n", bytes);
}

#[test]
fn only_32_bytes_are_a_key() {
    let too_long = "00".repeat(33);
    let not_a_digit = format!("+0{}", "00".repeat(31));
    let accented = format!("é{}", "0".repeat(62));

    for text in ["", "secret", "c2hvcnQ=", &too_long, &too_long[..62], &not_a_digit, &accented] {
        assert_eq!(MasterKey::from_text(text).err(), Some(NotAKey), "{text}");
    }
}

#[test]
fn random_keys_differ() {
    let sealed = sealed_under(&MasterKey::random());

    assert!(Vault::new(&MasterKey::random()).open("context", &sealed).is_err());
}

#[test]
fn a_setting_has_one_key_or_several() {
    let (old, new) = ("01".repeat(32), "02".repeat(32));
    let sealed = sealed_under(&MasterKey::from_bytes([1; 32]));

    assert!(Vault::from_text(&format!("{new} {old}")).unwrap().open("context", &sealed).is_ok());
    assert!(Vault::from_text(&new).unwrap().open("context", &sealed).is_err());
    for text in ["", "  ", "hunter2", &format!("{new} hunter2")] {
        assert_eq!(Vault::from_text(text).err(), Some(NotAKey), "{text}");
    }
}
