//! The tuple format: `("entity"<|>NAME<|>TYPE<|>DESCRIPTION)##...<|COMPLETE|>`, and what models make of it.

mod delimiter;
mod record;
mod separated;
mod start;
mod tag;
#[cfg(test)]
mod tests;

pub(super) use delimiter::has_mark;
pub(super) use record::{Record, Tagging, read};
pub(super) use tag::{Tag, has_tag};
