//! Tests of the simulation, and of its checkers.

mod seeds;
mod zoo;
