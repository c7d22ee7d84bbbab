//! A server with all dependencies, and requests.

mod asked;
mod bill;
mod bodies;
mod challenges;
mod database;
mod doubles;
mod golden;
mod hand;
mod keys;
mod log;
mod look;
mod request;
mod sealed;
mod socket;
mod stores;
#[path = "../../../../storage/tests/it/postgres/template.rs"]
mod template;
mod told;
mod world;

pub(crate) use asked::{listen_to, prepare_to_listen, trips_after_the_caller};
pub(crate) use bill::{Bill, equally, statuses};
pub(crate) use bodies::{
    APPROVED_CARD, DEAF_CARD, DECLINED_CARD, LOST_CARD, REFUSED_CARD, SALE, SUSPICIOUS_CARD, UNCAPTURABLE_CARD, card,
    token_request,
};
pub(crate) use challenges::{form, place};
pub(crate) use doubles::{Gate, Shelf, Watch};
pub(crate) use golden::check_exchange;
pub(crate) use hand::Hand;
pub(crate) use log::Log;
pub(crate) use look::Look;
pub(crate) use request::Request;
pub(crate) use sealed::SealedVault;
pub(crate) use socket::{Served, talk};
pub(crate) use stores::Backend;
pub(crate) use testkit::{
    json::{with, without},
    response::TestResponse,
};
pub(crate) use told::{Told, check};
pub(crate) use world::{World, on_each_store, on_one_store};
