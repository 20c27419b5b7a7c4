//! The index against a scan of the same texts.
