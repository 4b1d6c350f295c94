//! The crate's clustering, compiled on its own: it needs threads and nothing else of the crate.
#![forbid(unsafe_code)]

/// As in the crate.
#[path = "."]
pub mod graph {
    #[path = "../../src/graph/csr.rs"]
    pub mod csr;
    #[path = "../../src/graph/leiden/mod.rs"]
    pub mod leiden;

    pub use csr::{Csr, DroppedEdges};
}
