//! The errors of an endpoint: those of its kind and its rights, and those that its entry names.

use super::endpoint::{Content, Endpoint, Run, Verb};
use super::error::Code;

/// Errors of any request.
const OF_ALL: &[Code] = &[
    Code::MalformedRequest,
    Code::NoSuchEndpoint,
    Code::MethodNotAllowed,
    Code::TargetTooLong,
    Code::HeadersTooLarge,
    Code::Internal,
    Code::TooManyConnections,
];

/// Errors of endpoints that need a key.
const OF_KEYS: &[Code] = &[
    Code::UnknownApiVersion,
    Code::MissingKey,
    Code::UnsupportedScheme,
    Code::InvalidKey,
    Code::SecretKeyInUrl,
    Code::TooManyRequests,
    Code::QuotaExhausted,
];

const OF_BODIES: &[Code] = &[Code::InvalidBody, Code::BodyTooSlow, Code::BodyTooLarge];

const OF_BATCHES: &[Code] =
    &[Code::QueryTooExpensive, Code::TooManyQueries, Code::TooManyBatches, Code::BatchTimeout];

const OF_WEIGHED: &[Code] = &[Code::QueryTooExpensive, Code::TooManySearches, Code::SearchTimeout];

impl Endpoint {
    /// The errors of a request with this method, each once, in the order of their statuses.
    pub fn errors_of(&self, method: Verb) -> Vec<Code> {
        let mut codes = [OF_ALL, self.errors].concat();
        if let Some(service) = self.needs {
            codes.extend(OF_KEYS);
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
            codes.extend(OF_BODIES);
        }
        codes.extend(match self.run {
            Run::AtOnce(_) => &[][..],
            Run::Weighed(_) | Run::Search(_) => OF_WEIGHED,
            Run::WithStore(_) => &[Code::StateUnavailable],
            Run::Batch(_) => OF_BATCHES,
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
        let is_from_data = self.parameters.iter().any(|parameter| parameter.name == "version");
        if is_from_data || matches!(self.content, Content::Other(_)) {
            codes.extend([Code::NoData, Code::DamagedData]);
        }
    }
}
