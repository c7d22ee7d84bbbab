use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, RandomizedNonceKey},
    hmac,
};
use ports::{CredentialVault, VaultSealed};
use vault::{MasterKey, Vault};

const CONTEXT: &str = "merchant_1/certificate";
const SECRET: &[u8] = b"the key to the shop";

fn key(byte: u8) -> MasterKey {
    MasterKey::from_bytes([byte; 32])
}

#[track_caller]
fn opens(vault: &Vault, sealed: &[u8]) {
    assert_eq!(vault.open(CONTEXT, sealed).unwrap().as_slice(), SECRET);
}

#[test]
fn a_sealed_value_opens_under_its_context() {
    let vault = Vault::new(&key(1));

    let sealed = vault.seal(CONTEXT, SECRET).unwrap();
    let empty = vault.seal(CONTEXT, b"").unwrap();

    opens(&vault, &sealed);
    assert!(vault.open(CONTEXT, &empty).unwrap().is_empty());
}

#[test]
fn the_sealed_value_does_not_contain_the_secret() {
    let sealed = Vault::new(&key(1)).seal(CONTEXT, SECRET).unwrap();

    assert!(!sealed.windows(SECRET.len()).any(|it| it == SECRET));
}

#[test]
fn the_same_secret_is_never_sealed_alike() {
    let vault = Vault::new(&key(1));

    assert_ne!(vault.seal(CONTEXT, SECRET), vault.seal(CONTEXT, SECRET));
}

#[test]
fn a_sealed_value_does_not_open_elsewhere() {
    let vault = Vault::new(&key(1));

    let sealed = vault.seal(CONTEXT, SECRET).unwrap();

    assert_eq!(vault.open("merchant_2/certificate", &sealed), Err(VaultSealed));
    assert_eq!(vault.open("", &sealed), Err(VaultSealed));
}

#[test]
fn one_flipped_bit_anywhere_is_noticed() {
    let vault = Vault::new(&key(1));
    let sealed = vault.seal(CONTEXT, SECRET).unwrap();

    for at in 0..sealed.len() {
        for bit in 0..8 {
            let mut altered = sealed.clone();
            altered[at] ^= 1 << bit;
            assert_eq!(vault.open(CONTEXT, &altered), Err(VaultSealed), "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn a_shorter_or_longer_value_is_noticed() {
    let vault = Vault::new(&key(1));
    let sealed = vault.seal(CONTEXT, SECRET).unwrap();

    for len in 0..sealed.len() {
        assert_eq!(vault.open(CONTEXT, &sealed[..len]), Err(VaultSealed), "{len} bytes");
    }
    assert_eq!(vault.open(CONTEXT, &[sealed.as_slice(), &[0]].concat()), Err(VaultSealed));
}

#[test]
fn another_key_opens_no_value() {
    let sealed = Vault::new(&key(1)).seal(CONTEXT, SECRET).unwrap();

    assert_eq!(Vault::new(&key(2)).open(CONTEXT, &sealed), Err(VaultSealed));
}

#[test]
fn a_retired_key_opens_and_the_current_one_seals() {
    let before = Vault::new(&key(1));
    let after = Vault::rotated(&key(2), &[key(1)]);

    opens(&after, &before.seal(CONTEXT, SECRET).unwrap());
    let sealed = after.seal(CONTEXT, SECRET).unwrap();
    opens(&after, &sealed);
    opens(&Vault::new(&key(2)), &sealed);
    assert_eq!(before.open(CONTEXT, &sealed), Err(VaultSealed));
}

#[test]
fn a_vault_without_a_key_refuses() {
    let sealed = Vault::new(&key(1)).seal(CONTEXT, SECRET).unwrap();

    assert_eq!(Vault::sealed().seal(CONTEXT, SECRET), Err(VaultSealed));
    assert_eq!(Vault::sealed().open(CONTEXT, &sealed), Err(VaultSealed));
}

#[test]
fn another_key_is_another_envelope_around_the_same_value() {
    let (before, after) = (Vault::new(&key(1)), Vault::rotated(&key(2), &[key(1)]));
    let sealed = before.seal(CONTEXT, SECRET).unwrap();

    let resealed = after.reseal(CONTEXT, &sealed).unwrap().expect("it is under the retired key");

    opens(&Vault::new(&key(2)), &resealed);
    assert_eq!(before.open(CONTEXT, &resealed), Err(VaultSealed));
    assert_eq!(after.reseal(CONTEXT, &resealed), Ok(None));
    // The header and the envelope are new; the nonce, the value and the tag stay the same.
    let value = 12 + SECRET.len() + 16;
    assert_eq!(resealed[resealed.len() - value..], sealed[sealed.len() - value..]);
}

#[test]
fn a_damaged_value_is_not_resealed() {
    let after = Vault::rotated(&key(2), &[key(1)]);
    let sealed = Vault::new(&key(1)).seal(CONTEXT, SECRET).unwrap();

    for at in 0..sealed.len() {
        let mut altered = sealed.clone();
        altered[at] ^= 1;
        assert_eq!(after.reseal(CONTEXT, &altered), Err(VaultSealed), "byte {at}");
    }
    assert_eq!(after.reseal("merchant_2/certificate", &sealed), Err(VaultSealed));
    assert_eq!(Vault::new(&key(3)).reseal(CONTEXT, &sealed), Err(VaultSealed));
    assert_eq!(Vault::sealed().reseal(CONTEXT, &sealed), Err(VaultSealed));
}

/// As values were sealed before they had keys of their own: header, nonce, text, tag.
#[test]
fn a_value_without_an_envelope_opens_and_gets_one() {
    let sealed = without_envelope([1; 32]);
    let same = Vault::new(&key(1));

    opens(&same, &sealed);
    assert_eq!(same.open("elsewhere", &sealed), Err(VaultSealed));
    let resealed = same.reseal(CONTEXT, &sealed).unwrap().expect("it has no envelope");
    opens(&same, &resealed);
    let after = Vault::rotated(&key(2), &[key(1)]);
    opens(&Vault::new(&key(2)), &after.reseal(CONTEXT, &sealed).unwrap().expect("it is under the retired key"));
}

fn without_envelope(master: [u8; 32]) -> Vec<u8> {
    let derived = |usage: &str| hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &master), usage.as_bytes());
    let header = [&[1], &derived("key id").as_ref()[..8]].concat();
    let cipher = RandomizedNonceKey::new(&AES_256_GCM, derived("sealing").as_ref()).unwrap();
    let mut text = SECRET.to_vec();
    let bound_to = Aad::from([&header, CONTEXT.as_bytes()].concat());
    let nonce = cipher.seal_in_place_append_tag(bound_to, &mut text).unwrap();
    [&header, nonce.as_ref().as_slice(), &text].concat()
}
