//! dgii
