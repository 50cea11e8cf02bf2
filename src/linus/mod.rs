//! The way to Linus: the contract's types, MCP, and when to call.

pub mod contract;
