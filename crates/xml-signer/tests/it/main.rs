//! Test binary of the crate, one module per subject.
//!
//! `xmlsec1` verifies every signature, and `openssl` creates PKCS#12 files: both must be installed. The vectors of the
//! authority's profile are in `fixtures/vectors`.

mod encodings;
mod forgeries;
mod forms;
mod hostile;
mod pkcs12;
mod self_signed;
mod signing;
mod support;
mod trust;
mod vectors;
mod verifying;
