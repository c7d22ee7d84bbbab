//! xml-signer
