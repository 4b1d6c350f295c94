//! The only door to `output/`: Parquet tables, vectors, the manifest.
//!
//! Tables are built in `output/.building/`, each one synced; the manifest then says `building`, the tables are renamed into
//! place, and the manifest says `complete` last. A reader that meets anything else is told that the index is half built.

mod atomic;
mod build;
mod columns;
mod damage;
mod error;
mod manifest;
mod positioned;
mod read;
mod rows;
pub mod tables;
mod vectors;
mod writer;

pub use atomic::write_atomically;
pub use build::OutputBuild;
pub use columns::{ListColumn, StringColumn};
pub use damage::{Damage, STATS_FILE};
pub use error::StoreError;
pub use manifest::{IndexState, Manifest, TableEntry, VectorEntry};
pub use positioned::read_at;
pub use read::TableReader;
pub use vectors::{VectorFile, VectorWriter};
pub use writer::{TableWriter, WrittenTable};

/// The tables that the original has too, `covariates` being the one that may be missing.
pub const TABLES: [&str; 7] = [
    "documents",
    "text_units",
    "entities",
    "relationships",
    "communities",
    "community_reports",
    "covariates",
];
