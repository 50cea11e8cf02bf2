//! The user's own ssh: its argument grammar, whether to wrap it, where it is, what it resolved.
