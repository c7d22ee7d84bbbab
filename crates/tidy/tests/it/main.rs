//! The architecture and the house style, executed instead of requested.

mod arrows;
mod bans;
mod cases;
mod code;
mod codes;
mod lines;
mod manifests;
mod releases;
mod words;
mod workspace;
