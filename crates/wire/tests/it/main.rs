//! Tests of the public JSON, one module for each subject.

mod canonical;
mod contract;
mod create_payment;
mod described_requests;
mod documents;
mod events;
mod golden;
mod merchant_requests;
mod order;
mod other_requests;
mod payments;
mod profile_request;
mod queries;
mod reader;
mod refund_requests;
mod refund_samples;
mod refunds;
mod responses;
mod split_requests;
mod splits;
mod submit_card;
mod support;
mod unprintable;
mod webhook_request;
mod webhooks;
