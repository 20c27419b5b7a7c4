//! Connections: TLS with the system's root certificates, the proxy, and the time limit for silent sites.

use std::sync::Arc;
use std::time::Duration;

use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport,
};
use ureq::{Agent, Error, Proxy};

use crate::tls;
use crate::update::error::{Result, UpdateError};
use crate::update::options::ProxyChoice;
use crate::update::settings::RequestLimits;

/// Identifies the program to sites, with a contact address.
const USER_AGENT: &str =
    concat!("daicho/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")");

pub struct Agents {
    limits: RequestLimits,
    proxy: Option<Proxy>,
    tls: TlsConfig,
    /// Whether this machine has root certificates, with which it verifies the certificates of the sites.
    pub has_roots: bool,
}

impl Agents {
    pub fn new(limits: RequestLimits, proxy: &ProxyChoice) -> Result<Agents> {
        let proxy = match proxy {
            ProxyChoice::Environment => Proxy::try_from_env(),
            ProxyChoice::None => None,
            ProxyChoice::Url(url) => Some(parse_proxy(url)?),
        };
        let roots: Vec<Certificate<'static>> =
            tls::certificates().iter().map(|root| Certificate::from_der(root).to_owned()).collect();
        let has_roots = !roots.is_empty();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(provider)
            .root_certs(RootCerts::new_with_certs(&roots))
            .build();
        Ok(Agents { limits, proxy, tls, has_roots })
    }

    /// A new agent, without cookies.
    pub fn agent(&self) -> Agent {
        let limits = self.limits;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(USER_AGENT)
            .proxy(self.proxy.clone())
            .tls_config(self.tls.clone())
            .timeout_resolve(Some(limits.connect_timeout))
            .timeout_connect(Some(limits.connect_timeout))
            .timeout_send_request(Some(limits.response_timeout))
            .timeout_send_body(Some(limits.response_timeout))
            .timeout_recv_response(Some(limits.response_timeout))
            .build();
        let connector = DefaultConnector::default().chain(SilenceLimit(limits.silence_timeout));
        Agent::with_parts(config, connector, DefaultResolver::default())
    }
}

fn parse_proxy(url: &str) -> Result<Proxy> {
    // The client does not support SOCKS.
    let known = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
    let parsed = known.then(|| Proxy::new(url).ok()).flatten();
    parsed.ok_or_else(|| UpdateError::Settings {
        name: "--proxy".to_owned(),
        expected: "a proxy such as http://proxy.example:3128".to_owned(),
        found: url.to_owned(),
        remedy: "name an HTTP proxy",
    })
}

/// Closes a connection that receives nothing for this time. A limit of the whole download cannot do that: it must be
/// hours.
#[derive(Debug)]
struct SilenceLimit(Duration);

#[derive(Debug)]
struct SilenceLimited<T> {
    inner: T,
    silence: Duration,
}

impl<T: Transport> Connector<T> for SilenceLimit {
    type Out = SilenceLimited<T>;

    fn connect(
        &self,
        _details: &ConnectionDetails<'_>,
        chained: Option<T>,
    ) -> Result<Option<SilenceLimited<T>>, Error> {
        Ok(chained.map(|inner| SilenceLimited { inner, silence: self.0 }))
    }
}

impl<T: Transport> Transport for SilenceLimited<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, mut timeout: NextTimeout) -> Result<bool, Error> {
        timeout.after = timeout.after.min(self.silence.into());
        self.inner.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_proxies_are_supported() {
        for (url, good) in [
            ("http://proxy.example:3128", true),
            ("http://user:word@proxy.example:3128", true),
            ("socks5://proxy.example", false),
            ("proxy.example:3128", false),
            ("http://", false),
            ("", false),
        ] {
            assert_eq!(parse_proxy(url).is_ok(), good, "{url}");
        }
    }
}
