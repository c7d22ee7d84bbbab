//! A server with all dependencies, and requests.

mod bill;
mod bodies;
mod challenges;
mod database;
mod doubles;
mod expected_error;
mod golden;
mod keys;
mod log;
mod manual_clock;
mod pdf;
mod recorded_statements;
mod request;
mod sealed;
mod socket;
mod stores;
mod table_reader;
#[path = "../../../../storage/tests/it/postgres/template.rs"]
mod template;
mod world;
mod write_ahead_log;

pub(crate) use bill::{Bill, equally, statuses};
pub(crate) use bodies::{
    APPROVED_CARD, DEAF_CARD, DECLINED_CARD, LOST_CARD, REFUSED_CARD, SALE, SUSPICIOUS_CARD, UNCAPTURABLE_CARD, card,
    token_request,
};
pub(crate) use challenges::{challenge_path, form};
pub(crate) use doubles::{ControlledArtifacts, ControlledProvider, ControlledSales};
pub(crate) use expected_error::{ExpectedError, check};
pub(crate) use golden::check_exchange;
pub(crate) use log::Log;
pub(crate) use manual_clock::ManualClock;
pub(crate) use pdf::pdf_text;
pub(crate) use recorded_statements::{
    install_recorder, record_statements_of, round_trips, round_trips_after_authentication,
};
pub(crate) use request::Request;
pub(crate) use sealed::SealedVault;
pub(crate) use socket::{Served, send_and_read};
pub(crate) use stores::Backend;
pub(crate) use table_reader::TableReader;
pub(crate) use testkit::{
    json::{with, without},
    response::TestResponse,
};
pub(crate) use world::{World, on_each_store, on_one_store};
pub(crate) use write_ahead_log::{Logged, WriteAheadLog};
