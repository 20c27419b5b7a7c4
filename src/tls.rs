//! TLS to other servers: to the store in PostgreSQL, to receivers of webhooks, to official sites and to the object
//! store of releases.
//!
//! Trusts the system's root certificates; SSL_CERT_FILE overrides them.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, pki_types::CertificateDer};

/// Neither the system nor `SSL_CERT_FILE` has a root certificate that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected root certificates, found none; install ca-certificates, or set SSL_CERT_FILE to a \
     file of them"
)]
pub struct NoRootCertificates;

/// Reads the root certificates from disk on each call: reuse the result for frequent connections.
pub fn client_config() -> Result<ClientConfig, NoRootCertificates> {
    let mut roots = RootCertStore::empty();
    let (added, _unreadable) = roots.add_parsable_certificates(certificates());
    if added == 0 {
        return Err(NoRootCertificates);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has every cipher suite of the default versions");
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Reads the root certificates from disk; logs the unreadable ones.
pub fn certificates() -> Vec<CertificateDer<'static>> {
    let loaded = rustls_native_certs::load_native_certs();
    for error in &loaded.errors {
        tracing::warn!(%error, "cannot read root certificates");
    }
    loaded.certs
}
