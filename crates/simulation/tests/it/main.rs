//! The simulation, and the proof that it sees.

mod seeds;
mod zoo;
