//! The registration in a row of the register of invoice issuers.

use build_tools::invoice::InvoiceRow;

use crate::record::invoice::Registration;

/// The registration that a row states.
pub fn registration(row: &InvoiceRow<'_>) -> Registration {
    Registration {
        process: row.process,
        latest: row.latest,
        registration_date: row.registration_date,
        disposal_date: row.disposal_date,
        expire_date: row.expire_date,
    }
}
