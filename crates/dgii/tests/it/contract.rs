//! Runs the contract tests of tax authorities.

use testkit::authority_contract_tests;

authority_contract_tests!(crate::bench::counter);
