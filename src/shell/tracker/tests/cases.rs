//! One behaviour a test, on streams written by hand.
