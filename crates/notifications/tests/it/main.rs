//! Webhooks and e-mails, sent to servers of every kind.

mod connections;
mod credit_note;
mod mail_server;
mod mailing;
mod receiver;
mod sending;
mod switch_off;
