//! The architecture and the house style as tests.

mod arrows;
mod bans;
mod cases;
mod changes;
mod circles;
mod codes;
mod documented;
mod lines;
mod lints;
mod manifests;
mod modules;
mod releases;
mod syntax;
mod type_names;
mod words;
mod workspace;
