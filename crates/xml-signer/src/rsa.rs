use std::sync::Arc;

use aws_lc_rs::{
    rand::SystemRandom,
    rsa::KeyPair,
    signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, UnparsedPublicKey},
};
use kryptering::{Error, HashAlgorithm, SignatureAlgorithm, Signer, Verifier};

use crate::refusal::Refusal;

const RSA_SHA256: SignatureAlgorithm = SignatureAlgorithm::RsaPkcs1v15(HashAlgorithm::Sha256);

/// A private key, parsed and checked once: that costs as much as a signature.
#[derive(Clone)]
pub(crate) struct PrivateRsaKey(Arc<KeyPair>);

impl PrivateRsaKey {
    /// The key of these bytes, PKCS#8 DER.
    pub(crate) fn parse(pkcs8: &[u8]) -> Result<Self, Refusal> {
        let pair = KeyPair::from_pkcs8(pkcs8);
        pair.map(|it| Self(Arc::new(it))).map_err(|_| Refusal("the private key is not an RSA key of 2048 to 8192 bits"))
    }

    pub(crate) fn public(&self) -> PublicRsaKey {
        PublicRsaKey(self.0.public_key().as_ref().to_vec())
    }
}

impl Signer for PrivateRsaKey {
    fn algorithm(&self) -> SignatureAlgorithm {
        RSA_SHA256
    }

    fn sign(&self, data: &[u8]) -> Result<Vec<u8>, Error> {
        let mut signature = vec![0; self.0.public_modulus_len()];
        let signed = self.0.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), data, &mut signature);
        signed.map_err(|_| Error::Crypto("RSA refuses to sign".to_owned()))?;
        Ok(signature)
    }
}

/// A public key, PKCS#1 DER.
#[derive(PartialEq, Eq)]
pub(crate) struct PublicRsaKey(pub(crate) Vec<u8>);

impl Verifier for PublicRsaKey {
    fn algorithm(&self) -> SignatureAlgorithm {
        RSA_SHA256
    }

    fn verify(&self, data: &[u8], signature: &[u8]) -> Result<bool, Error> {
        Ok(UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &self.0).verify(data, signature).is_ok())
    }
}
