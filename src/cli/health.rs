//! `daicho health`: checks that a running server has data. For health checks of containers, load balancers and
//! scripts.

use std::io::Write;
use std::time::Duration;

use clap::Args;

use super::error::CommandError;
use super::print::print;

/// A healthy server responds within milliseconds.
const TIME_MAX: Duration = Duration::from_secs(3);

/// Maximum part of the response body in an error message.
const BODY_BYTES_MAX: u64 = 1_000;

/// Check that a running server is ready: exit code 0 if it is, otherwise 1
#[derive(Debug, Args)]
pub struct HealthArgs {
    /// Address of the server
    #[arg(value_name = "URL", env = "DAICHO_HEALTH_URL", default_value = "http://127.0.0.1:8080")]
    url: String,
}

pub fn run(args: &HealthArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    if !args.url.starts_with("http://") {
        let message = format!(
            "health uses plain HTTP: expected a URL such as http://127.0.0.1:8080; found {:?}",
            args.url
        );
        return Err(CommandError::Usage(message));
    }
    let url = format!("{}/readyz", args.url.trim_end_matches('/'));
    let failed = |found: String| {
        let seconds = TIME_MAX.as_secs();
        CommandError::Failed(format!(
            "{url}: expected status 200 within {seconds} seconds; found {found}"
        ))
    };
    let config = ureq::Agent::config_builder().timeout_global(Some(TIME_MAX)).proxy(None);
    let agent = config.http_status_as_error(false).max_redirects(0).build().new_agent();
    let mut answer = agent.get(&url).call().map_err(|error| failed(error.to_string()))?;
    let body = answer.body_mut().with_config().limit(BODY_BYTES_MAX).read_to_string();
    let body = body.map_err(|error| failed(error.to_string()))?;
    match answer.status().as_u16() {
        200 => print(stdout, format!("{body}\n").as_bytes()),
        status => Err(failed(format!("{status}: {body}"))),
    }
}
