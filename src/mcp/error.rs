//! Errors of tool calls, as text for the agent: what happened, what was expected, and what to do.

use hyper::StatusCode;
use serde::Deserialize;

use crate::api::error::Code;

#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    #[error("invalid arguments: {0}; see the input schema of the tool")]
    Arguments(serde_json::Error),
    #[error(
        "the arguments are too long: expected at most about 3,000 Japanese characters; shorten them"
    )]
    TooLong,
    #[error("{}", message(.0, .1))]
    Refused(Problem, Option<u64>),
    #[error("cannot read the response of the server: {0}; this is a server error")]
    Unreadable(String),
}

/// The body of an error of the API.
#[derive(Debug, Deserialize)]
pub struct Problem {
    pub code: String,
    title: String,
    detail: String,
}

impl ToolError {
    /// The tool error for an error response of the API.
    pub fn refused(status: StatusCode, retry_after_s: Option<u64>, body: &[u8]) -> ToolError {
        match serde_json::from_slice(body) {
            Ok(problem) => ToolError::Refused(problem, retry_after_s),
            Err(_no_problem) => ToolError::Unreadable(format!("it has the status {status}")),
        }
    }

    pub fn has_code(&self, code: Code) -> bool {
        matches!(self, ToolError::Refused(problem, _) if problem.code == code.as_str())
    }
}

fn message(problem: &Problem, retry_after_s: &Option<u64>) -> String {
    let Problem { code, title, detail } = problem;
    let known = Code::ALL.iter().find(|known| known.as_str() == code);
    let remedy = match known {
        // Omit `Retry-After`: an operator must build the data first, so an agent should not wait.
        Some(Code::NoData) => {
            return format!(
                "{title} ({code}): {detail}. The operator must build the data first; other tools still work."
            );
        }
        Some(code) => code.remedy().en,
        None => "",
    };
    let retry = retry_after_s.map(|seconds| format!(" Retry in {seconds} s."));
    format!("{title} ({code}): {detail}. {remedy}{}", retry.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::error::ApiError;

    #[test]
    fn an_error_of_the_api_has_a_remedy() {
        let error = ApiError::in_parameter(
            "postal_code",
            Code::InvalidPostalCode,
            "a postal code has 7 digits; found 8",
        );
        let mut body = Vec::new();
        error.write(&mut body);
        let error = ToolError::refused(StatusCode::BAD_REQUEST, None, &body);
        assert!(error.has_code(Code::InvalidPostalCode) && !error.has_code(Code::NoSuchPostalCode));
        assert_eq!(
            error.to_string(),
            "Invalid postal code (invalid_postal_code): a postal code has 7 digits; found 8. \
             Send 7 digits; a hyphen after the third digit is allowed."
        );
        let late = ApiError::new(Code::TooManyRequests, "found more");
        let mut body = Vec::new();
        late.write(&mut body);
        let error = ToolError::refused(StatusCode::TOO_MANY_REQUESTS, Some(3), &body).to_string();
        assert!(error.ends_with("Retry in 3 s."), "{error}");
        let mut body = Vec::new();
        ApiError::new(Code::NoData, "no bank data is loaded").write(&mut body);
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let error = ToolError::refused(status, Some(5), &body).to_string();
        assert!(error.contains("build the data first; other tools still work"), "{error}");
        assert!(!error.contains("Retry"), "{error}");
    }

    #[test]
    fn an_error_without_a_problem_body_names_the_status() {
        let error = ToolError::refused(StatusCode::SERVICE_UNAVAILABLE, None, b"<html>");
        assert!(error.to_string().contains("503"), "{error}");
    }
}
