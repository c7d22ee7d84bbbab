//! The server from outside, on each store that it runs on.

mod bad_inputs;
mod cases;
mod crowds;
mod documents;
mod exchanges;
mod framing;
mod hang_ups;
mod headers;
mod health;
mod hosts;
mod leases;
mod limits;
mod logs;
mod matrix;
mod metrics;
mod operations;
mod panics;
mod precedence;
mod published_codes;
mod receipts;
mod reference;
mod replays;
mod secrets;
mod statements;
mod support;
mod tenants;
