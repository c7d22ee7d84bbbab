//! One test binary for the crate; one module per subject.
//!
//! Every signature is judged by `xmlsec1`, and PKCS#12 files are made by `openssl`: both have to
//! be installed. The vectors of the authority's profile are in `fixtures/vectors`.

mod encodings;
mod forgeries;
mod forms;
mod hostile;
mod pkcs12;
mod self_made;
mod signing;
mod support;
mod trust;
mod vectors;
mod verifying;
