//! Shapes that members of several datasets have: codes, numbers, and what may be null.

use super::shape::Shape::{self, Date, OrNull, Pattern, Text, Whole};

/// A number of records.
pub const COUNT: Shape = Whole { min: 0, max: u64::MAX };

pub const POSTAL_CODE: Shape = Pattern("^[0-9]{7}$");
pub const JISX0402: Shape = Pattern("^[0-9]{5}$");
pub const CORPORATE_NUMBER: Shape = Pattern("^[0-9]{13}$");
pub const INVOICE_NUMBER: Shape = Pattern("^T[0-9]{13}$");
pub const SCHOOL_CODE: Shape = Pattern("^[A-Z][0-9]{12}$");
pub const TEXT_OR_NULL: Shape = OrNull(&Text);
pub const DATE_OR_NULL: Shape = OrNull(&Date);
