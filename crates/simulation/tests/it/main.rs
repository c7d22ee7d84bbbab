//! Tests of the simulation and the checkers.

mod seeds;
mod zoo;
