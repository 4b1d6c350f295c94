//! The one door to models.
//!
//! ```text
//! request -> cache? -> place in flight -> rate limit -> budget -> transport -> classify -> judge -> cache -> ledger
//! ```
//!
//! A stage builds a [`ChatRequest`] and gives it to [`Door::ask`] with a judge that turns a raw answer into a value or
//! says why not. Everything else (limits, repeats, caps, durability, records) happens here and is the same for all
//! stages. [`Shared`] is what the doors of one process have in common.

mod answer;
mod batch;
mod budget;
pub mod cache;
mod call;
mod classify;
mod door;
mod embed;
mod endpoint;
mod error;
mod flight;
mod hints;
pub mod ledger;
mod limits;
mod prices;
mod probe;
mod quirks;
mod reask;
pub mod recover;
mod refusals;
pub mod replay;
mod request;
mod retry;
mod settings;
mod shared;
mod stream;
mod transport;
mod vectors;
mod wire;

pub use answer::{Answer, RawAnswer, Usage, Verdict, in_words};
pub use batch::{
    BatchSettings, MOST_MEGABYTES, MOST_REQUESTS, OpenBatch, Settled, cancel_batch,
    forget as forget_batches, forget_ended, open_batches,
};
pub use budget::Spent;
pub use cache::{Cache, CacheError};
pub use door::Door;
pub use embed::{Embedded, Flag};
pub use error::{Action, CallError, Cap, Place};
pub use prices::{PRICES_AS_OF, Prices, built_in as built_in_prices};
pub use probe::ProbeReport;
pub use reask::NUDGE;
pub use request::{ChatRequest, JsonSchema, Key, Message, Role, Stage};
pub use settings::{
    Already, Caps, CountTokens, EndpointKind, EndpointSettings, RetrySettings, Say, Secret,
    SharedSettings,
};
pub use shared::Shared;
pub use transport::{
    Fate, Headers, HttpReply, HttpRequest, OpenAiTransport, Route, SendError, StreamReply, Ticket,
    Transport,
};
