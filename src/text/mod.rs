//! Text on its way to the user's terminal: made harmless, measured, wrapped.
