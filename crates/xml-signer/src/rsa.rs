use aws_lc_rs::{
    error::Unspecified,
    rand::SystemRandom,
    rsa::KeyPair,
    signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, UnparsedPublicKey},
};

use crate::refusal::Refusal;

/// A private key, parsed and checked once: that costs as much as a signature.
pub(crate) struct PrivateRsaKey(KeyPair);

impl PrivateRsaKey {
    /// The key of these bytes, PKCS#8 DER.
    pub(crate) fn parse(pkcs8: &[u8]) -> Result<Self, Refusal> {
        KeyPair::from_pkcs8(pkcs8)
            .map(Self)
            .map_err(|_| Refusal("the private key is not an RSA key of 2048 to 8192 bits"))
    }

    pub(crate) fn public(&self) -> PublicRsaKey {
        PublicRsaKey(self.0.public_key().as_ref().to_vec())
    }

    pub(crate) fn bits(&self) -> usize {
        self.0.public_modulus_len() * 8
    }

    pub(crate) fn sign(&self, data: &[u8]) -> Result<Vec<u8>, Unspecified> {
        let mut signature = vec![0; self.0.public_modulus_len()];
        self.0.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), data, &mut signature)?;
        Ok(signature)
    }
}

/// A public key, PKCS#1 DER.
#[derive(PartialEq, Eq)]
pub(crate) struct PublicRsaKey(pub(crate) Vec<u8>);

impl PublicRsaKey {
    pub(crate) fn verifies(&self, data: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &self.0).verify(data, signature).is_ok()
    }
}
