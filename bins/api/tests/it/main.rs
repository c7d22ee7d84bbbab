//! The binary as people run it: real processes, real sockets, real files.

mod acquirer;
mod authority;
mod certificates;
mod clocks;
mod control;
mod crash;
mod developer;
mod directory;
mod doctor;
mod exchange;
mod failover;
mod killed;
mod mails;
mod memory;
mod numbers;
mod operator;
mod readme;
mod refund_kills;
mod refunds;
mod restart;
mod sale;
mod secrets;
mod serve;
mod simulate;
mod start;
mod support;
#[cfg(feature = "otlp")]
mod traces;
mod units;
mod upgrade;
mod vault;
mod webhooks;
