//! The use cases, port by mocked port, and a whole sale that crashes at every step.

mod annul_numbers;
mod authenticate;
mod breakers;
mod commands;
mod crashes;
mod create_checkout_token;
mod create_payment;
mod deliver;
mod get_artifacts;
mod holds;
mod issue_document;
mod kept_cards;
mod races;
mod register;
mod report_numbers;
mod return_from_issuer;
mod run_due;
mod settle_payment;
mod settle_stray;
mod split;
mod submit_card;
mod support;
mod switch_offs;
mod unprintable;
mod webhooks;
