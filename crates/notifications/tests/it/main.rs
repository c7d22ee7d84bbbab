//! Signed webhooks, sent to receivers of every kind, and mail, handed over to servers of every kind.

mod mail_server;
mod mailing;
mod receiver;
mod sending;
mod switch_off;
