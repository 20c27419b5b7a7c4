//! Tables of cases from the real files.
