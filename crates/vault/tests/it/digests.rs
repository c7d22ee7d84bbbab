use ports::CredentialVault;
use vault::{MasterKey, Vault};

fn vault(byte: u8) -> Vault {
    Vault::new(&MasterKey::from_bytes([byte; 32]))
}

#[test]
fn a_keyed_digest_is_the_same_in_every_process_of_a_deployment() {
    assert_eq!(vault(1).mac("api key", b"message"), vault(1).mac("api key", b"message"));
}

#[test]
fn a_keyed_digest_belongs_to_its_purpose_its_message_and_its_key() {
    let digest = vault(1).mac("api key", b"message");

    assert_ne!(vault(1).mac("checkout", b"message"), digest);
    assert_ne!(vault(1).mac("api key", b"massage"), digest);
    assert_ne!(vault(2).mac("api key", b"message"), digest);
    // Purpose and message are not simply joined.
    assert_ne!(vault(1).mac("api keym", b"essage"), digest);
}

#[test]
fn a_keyed_digest_outlives_the_rotation_of_the_key() {
    let [old, older] = [2, 1].map(|it| MasterKey::from_bytes([it; 32]));
    let rotated = Vault::rotated(&MasterKey::from_bytes([3; 32]), &[old, older]);

    assert_eq!(rotated.mac("api key", b"message"), vault(1).mac("api key", b"message"));
}

#[test]
fn keyed_digests_of_a_sealed_vault_match_no_other() {
    let (one, other) = (Vault::sealed(), Vault::sealed());

    assert_eq!(one.mac("api key", b"message"), one.mac("api key", b"message"));
    assert_ne!(one.mac("api key", b"message"), other.mac("api key", b"message"));
}

#[test]
fn the_plain_digest_is_sha_256() {
    let hex: String = vault(1).digest(b"abc").iter().map(|it| format!("{it:02x}")).collect();

    assert_eq!(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
