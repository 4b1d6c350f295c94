//! The crate's clustering and shape of graphs, compiled on their own: they need threads and nothing else of the crate.
#![forbid(unsafe_code)]

/// As in the crate.
#[path = "."]
pub mod graph {
    #[path = "../../src/graph/csr.rs"]
    pub mod csr;
    #[path = "../../src/graph/leiden/mod.rs"]
    pub mod leiden;
    #[path = "../../src/graph/shape.rs"]
    pub mod shape;

    pub use csr::{Csr, DroppedEdges};
}
