//! The weighted graph of entities and what is computed on it.
//!
//! Everything here is pure: edges and settings in, numbers out, the same for any order of the input edges and any
//! number of threads.

pub mod csr;
pub mod draft;
pub mod leiden;
pub mod portrait;
pub mod prune;
pub mod shape;

pub use csr::{Csr, DroppedEdges};
