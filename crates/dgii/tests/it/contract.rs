//! The adapter, held to what every tax authority promises.

use testkit::authority_contract_tests;

authority_contract_tests!(crate::bench::counter);
