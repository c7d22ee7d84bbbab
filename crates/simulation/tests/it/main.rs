//! Tests of the simulation and the checkers.

mod deliberate_bugs;
mod seeds;
