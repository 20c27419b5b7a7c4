//! The errors of the API in the words of tools: an agent knows arguments and other tools, and neither paths nor headers.

use crate::api::error::Code;

/// What went wrong, in a few words.
pub fn title(code: Code) -> &'static str {
    match code {
        Code::InvalidParameter | Code::MissingQuery => "Invalid argument",
        code => code.title().en,
    }
}

/// What the agent can do, as sentences; empty if the text of the error already says it.
pub fn remedy(code: Code) -> &'static str {
    match code {
        Code::InvalidPostalCode => "Send 7 half-width digits, such as 1000001.",
        Code::InvalidCorporateNumber => "Send exactly 13 digits.",
        Code::InvalidInvoiceNumber => "Send T and exactly 13 digits.",
        Code::InvalidBankCode | Code::InvalidBranchCode | Code::InvalidSchoolCode => {
            code.remedy().en
        }
        Code::InvalidCoordinates => {
            "Send latitude and longitude in decimal degrees, such as 35.681236 and 139.767125."
        }
        Code::NoCoordinates => {
            "The operator must build the data with coordinates; other tools still work."
        }
        Code::InvalidDate => "Send an existing day, YYYY-MM-DD.",
        Code::InvalidAccount => "Compare the account with the passbook.",
        Code::InvalidParameter => "Correct this argument and call the tool again.",
        Code::MissingQuery => "Send the missing argument.",
        Code::InvalidQuery => "Use words of two or more letters, and fewer of them.",
        Code::QueryTooExpensive => "Use longer and complete words, or fewer of them.",
        Code::NoSuchPostalCode => {
            "Check the digits, or use search_postal_codes with the name of the place."
        }
        Code::NoSuchBank => {
            "Abolished institutions are not in the data. Use find_banks with a part of the name."
        }
        Code::NoSuchBranch => "Use find_branches with a part of the name.",
        Code::NoSuchCorporation => "Check the digits, or use search_corporations with the name.",
        Code::NoSuchSchool => "Check the code, or use find_schools with the name.",
        Code::PlanTooLow => {
            "The plan of this key does not include the tool; other tools still work."
        }
        Code::TooManyRequests => "The account calls tools faster than its rate limit allows.",
        Code::QuotaExhausted => {
            "The account has used all its requests of this calendar month (Japan time)."
        }
        Code::TooManySearches | Code::SearchTimeout => {
            "Call the tool again later, with fewer or longer words."
        }
        Code::Internal | Code::StateUnavailable | Code::DamagedData => {
            "This is a fault of the server. Tell its operator; other tools may work."
        }
        // No tool sends requests that have the other errors; their texts say what was expected and found.
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_remedy_speaks_of_http() {
        for code in Code::ALL {
            let text = [title(*code), remedy(*code)].join(" ");
            for word in [
                "/v1",
                "header",
                "Header",
                "path",
                "parameter",
                "HTTP",
                "Retry-After",
                "detail",
                "URL",
            ] {
                let is_known = remedy(*code).is_empty();
                assert!(is_known || !text.contains(word), "{code:?}: {text}");
            }
        }
    }
}
