//! Whether a site answers at all, and what time its clock says. Sends one request without effect, and follows no
//! redirect.

use std::time::Duration;

use jiff::Timestamp;

use super::agent::Agents;
use super::parse_date;
use crate::update::address::Site;
use crate::update::error::{Result, UpdateError};
use crate::update::options::ProxyChoice;
use crate::update::settings::Settings;

/// A healthy site answers within a second.
const TIME_MAX: Duration = Duration::from_secs(5);

/// Asks the origin of a site. Any status counts as an answer. Returns the time that the site states, if it does.
pub fn reach(settings: &Settings, proxy: &ProxyChoice, site: Site) -> Result<Option<Timestamp>> {
    let mut limits = settings.limits;
    limits.connect_timeout = limits.connect_timeout.min(TIME_MAX);
    limits.response_timeout = limits.response_timeout.min(TIME_MAX);
    let url = settings.origin(site).to_string();
    let agents = Agents::new(limits, proxy)?;
    let response = agents.agent().head(&url).call().map_err(|cause| UpdateError::Unreachable {
        url: url.clone(),
        found: cause.to_string(),
        remedy: "check the network, the proxy (--proxy) and the firewall",
    })?;
    let date = response.headers().get("date").and_then(|date| date.to_str().ok());
    Ok(date.and_then(parse_date))
}
