//! Signing in to a Linus by OAuth 2.1, as the MCP specification profiles it.
//!
//! Reading and deciding is pure (`challenge`, `discovery`, `register`, `authorize`, `token`, `pkce`); `fetch` asks,
//! `loopback` waits for the browser, `store` keeps, `sign_in` and `refresh` put these together. Nothing here draws or
//! reads a configuration.

mod authorize;
mod challenge;
mod discovery;
mod endpoint;
mod fetch;
mod loopback;
mod pkce;
mod refresh;
mod register;
mod sign_in;
mod store;
mod token;

pub use challenge::Challenge;
pub use endpoint::shown;
pub use fetch::Fetcher;
pub use loopback::{Loopback, Missed};
pub use refresh::{refresh, sign_out, want};
pub use register::Registered;
pub use sign_in::{Settings, User, sign_in};
pub use store::{Key, SignIn, Store, now};
pub use token::TokenError;
