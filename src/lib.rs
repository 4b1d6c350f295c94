//! Belvedere indexes a static corpus GraphRAG-style and answers questions over it, with evidence.
//!
//! One room per stage; `ARCHITECTURE.md` is the tour. Arrows point down:
//! `cli -> doctor -> pipeline, query -> extract, resolve, graph, report -> llm, embed, store, chunk, input -> model, config`.

#![forbid(unsafe_code)]

pub mod chunk;
pub mod cli;
pub mod config;
pub mod doctor;
pub mod embed;

pub mod extract;
pub mod graph;
pub mod input;
pub mod llm;

pub mod model;
pub mod pipeline;
pub mod query;

pub mod report;
pub mod resolve;
pub mod store;
pub mod tune;
