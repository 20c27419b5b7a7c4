//! The errors of an endpoint: those of its kind and its rights, and those that its entry names.

use super::endpoint::{Endpoint, Handler, Verb};
use super::error::Code;

/// Errors of any request.
const ANY_REQUEST: &[Code] = &[
    Code::MalformedRequest,
    Code::NoSuchEndpoint,
    Code::MethodNotAllowed,
    Code::TargetTooLong,
    Code::HeadersTooLarge,
    Code::Internal,
    Code::TooManyConnections,
];

/// Errors of endpoints that need a key.
const WITH_KEY: &[Code] = &[
    Code::UnknownApiVersion,
    Code::MissingKey,
    Code::UnsupportedScheme,
    Code::InvalidKey,
    Code::SecretKeyInUrl,
    Code::TooManyRequests,
    Code::QuotaExhausted,
];

const WITH_BODY: &[Code] = &[Code::InvalidBody, Code::BodyTooSlow, Code::BodyTooLarge];

const BATCH: &[Code] =
    &[Code::QueryTooExpensive, Code::TooManyQueries, Code::TooManyBatches, Code::BatchTimeout];

const BUDGETED: &[Code] = &[Code::QueryTooExpensive, Code::TooManySearches, Code::SearchTimeout];

impl Endpoint {
    /// The errors of a request with this method, each once, in the order of their statuses.
    pub fn errors_of(&self, method: Verb) -> Vec<Code> {
        let mut codes = [ANY_REQUEST, self.errors].concat();
        if let Some(service) = self.needs {
            codes.extend(WITH_KEY);
            codes.push(match service.requires_secret_key() {
                true => Code::SecretKeyRequired,
                false => Code::OriginNotAllowed,
            });
            codes.push(Code::PlanTooLow);
            if service.requires_batch_option() {
                codes.push(Code::BatchOptionMissing);
            }
        }
        if method == Verb::Post {
            codes.extend(WITH_BODY);
        }
        codes.extend(match self.handler {
            Handler::Immediate(_) => &[][..],
            Handler::Budgeted(_) | Handler::Search(_) => BUDGETED,
            Handler::Store(_) => &[Code::StateUnavailable],
            Handler::Batch(_) => BATCH,
        });
        self.add_errors_of_parameters(&mut codes);
        codes.sort_by_key(|code| (code.status(), code.as_str()));
        codes.dedup();
        codes
    }

    fn add_errors_of_parameters(&self, codes: &mut Vec<Code>) {
        if self.query_parameters().next().is_some() {
            codes.push(Code::InvalidParameter);
        }
        for parameter in self.parameters {
            codes.extend(match parameter.name {
                "version" => &[Code::InvalidVersion, Code::NoSuchVersion][..],
                "limit" => &[Code::InvalidLimit],
                "offset" => &[Code::InvalidOffset],
                _ => &[],
            });
        }
        if self.parameters.iter().any(|parameter| parameter.name == "version") {
            codes.extend([Code::NoData, Code::DamagedData]);
        }
    }
}
