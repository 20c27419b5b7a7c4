//! The server's certificate and its private key: read from two PEM files, and read again when these change.
//!
//! Connections that are open keep the certificate with which they began. A pair that cannot be used leaves the earlier one
//! in place: a renewal writes two files, and between the two they do not fit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use x509_cert::der::Decode;

/// The protocols that a client may choose, the preferred one first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The files of a certificate chain, the server's own first, and of its private key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFiles {
    pub chain: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    #[error("{path}: expected a file that can be read; found: {error}", path = .path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error(
        "{path}: expected {expected} in PEM form (-----BEGIN {label}-----); found {found}",
        path = .path.display()
    )]
    Malformed { path: PathBuf, expected: &'static str, label: &'static str, found: String },
    #[error(
        "expected a certificate and its own private key; found: {0}; pass the chain with the server's certificate \
         first, and the key that belongs to it"
    )]
    Unusable(rustls::Error),
}

/// When and how large the two files are; a change of it means that they have to be read again.
type Stamp = [Option<(SystemTime, u64)>; 2];

/// The certificate in use.
#[derive(Debug)]
pub struct Certificate {
    files: CertificateFiles,
    current: ArcSwap<ServerConfig>,
}

impl Certificate {
    pub fn open(files: CertificateFiles) -> Result<Certificate, CertificateError> {
        let current = ArcSwap::from_pointee(files.read()?);
        Ok(Certificate { files, current })
    }

    /// The settings for a connection that begins.
    pub fn settings(&self) -> Arc<ServerConfig> {
        self.current.load_full()
    }

    /// Uses the files as they are now, if they can be used.
    pub fn reload(&self) -> Result<(), CertificateError> {
        self.current.store(Arc::new(self.files.read()?));
        Ok(())
    }

    pub fn stamp(&self) -> Stamp {
        [&self.files.chain, &self.files.key].map(|path| {
            let metadata = fs::metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        })
    }
}

impl CertificateFiles {
    fn read(&self) -> Result<ServerConfig, CertificateError> {
        let chain = read_chain(&self.chain)?;
        let key = read_key(&self.key)?;
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring has every cipher suite of the default versions")
            .with_no_client_auth();
        let mut config =
            builder.with_single_cert(chain, key).map_err(CertificateError::Unusable)?;
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        // Clients that come back skip the signature, the costly part of a handshake.
        if let Ok(ticketer) = ring::Ticketer::new() {
            config.ticketer = ticketer;
        }
        Ok(config)
    }
}

/// From when to when the certificate of a server is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    pub begin: SystemTime,
    pub end: SystemTime,
}

impl Validity {
    /// Of the first certificate of a chain, which is the server's own.
    pub fn read(chain: &Path) -> Result<Validity, CertificateError> {
        let certificates = read_chain(chain)?;
        let first = x509_cert::Certificate::from_der(certificates.first().expect("not empty"));
        let first = first.map_err(|error| CertificateError::Malformed {
            path: chain.to_owned(),
            expected: "an X.509 certificate",
            label: "CERTIFICATE",
            found: error.to_string(),
        })?;
        let validity = first.tbs_certificate.validity;
        let time = |time: x509_cert::time::Time| SystemTime::UNIX_EPOCH + time.to_unix_duration();
        Ok(Validity { begin: time(validity.not_before), end: time(validity.not_after) })
    }
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let bytes = read(path)?;
    let malformed = |found: String| CertificateError::Malformed {
        path: path.to_owned(),
        expected: "certificates",
        label: "CERTIFICATE",
        found,
    };
    let chain = CertificateDer::pem_slice_iter(&bytes).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| malformed(error.to_string()))?;
    if chain.is_empty() { Err(malformed("none".to_owned())) } else { Ok(chain) }
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, CertificateError> {
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|error| CertificateError::Malformed {
        path: path.to_owned(),
        expected: "a private key without a passphrase",
        label: "PRIVATE KEY",
        found: match error {
            pem::Error::NoItemsFound => "none".to_owned(),
            error => error.to_string(),
        },
    })
}

fn read(path: &Path) -> Result<Vec<u8>, CertificateError> {
    fs::read(path).map_err(|error| CertificateError::Unreadable { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pair {
        chain: String,
        key: String,
    }

    fn pair() -> Pair {
        let names = ["localhost".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
        Pair { chain: made.cert.pem(), key: made.signing_key.serialize_pem() }
    }

    fn written(folder: &Path, chain: &str, key: &str) -> CertificateFiles {
        let files =
            CertificateFiles { chain: folder.join("chain.pem"), key: folder.join("key.pem") };
        fs::write(&files.chain, chain).expect("written");
        fs::write(&files.key, key).expect("written");
        files
    }

    #[test]
    fn a_pair_that_cannot_be_used_is_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (pair(), pair());
        let both = [one.key.as_str(), &one.chain].concat();
        assert!(written(folder.path(), &one.chain, &one.key).read().is_ok());
        assert!(written(folder.path(), &both, &both).read().is_ok(), "one file with both");
        let truncated = &one.chain[..one.chain.len() / 2];
        for (chain, key, expected) in [
            ("", &*one.key, "chain.pem: expected certificates in PEM form"),
            (&*one.key, &*one.key, "(-----BEGIN CERTIFICATE-----); found none"),
            (truncated, &*one.key, "chain.pem: expected certificates"),
            (&*one.chain, "", "key.pem: expected a private key without a passphrase"),
            (&*one.chain, &*one.chain, "(-----BEGIN PRIVATE KEY-----); found none"),
            (&*one.chain, &*other.key, "expected a certificate and its own private key; found:"),
        ] {
            let error = written(folder.path(), chain, key).read().expect_err("unusable");
            assert!(error.to_string().contains(expected), "{error}");
        }
        let mut files = written(folder.path(), &one.chain, &one.key);
        files.key = folder.path().join("none.pem");
        let error = files.read().expect_err("missing").to_string();
        assert!(error.contains("none.pem: expected a file that can be read"), "{error}");
    }

    #[test]
    fn the_end_of_a_certificate_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut params = rcgen::CertificateParams::new(["localhost".to_owned()]).expect("names");
        params.not_before = rcgen::date_time_ymd(2026, 1, 2);
        params.not_after = rcgen::date_time_ymd(2026, 4, 2);
        let key = rcgen::KeyPair::generate().expect("a key");
        let made = params.self_signed(&key).expect("a certificate");
        let files = written(folder.path(), &made.pem(), &key.serialize_pem());
        let read = Validity::read(&files.chain).expect("a certificate");
        let seconds =
            |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).expect("after");
        assert_eq!(seconds(read.begin).as_secs(), 1_767_312_000);
        assert_eq!(seconds(read.end).as_secs(), 1_775_088_000);
        assert!(Validity::read(&files.key).is_err());
    }

    #[test]
    fn a_wrong_renewal_leaves_the_certificate_in_use() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (pair(), pair());
        let certificate =
            Certificate::open(written(folder.path(), &one.chain, &one.key)).expect("usable");
        let (first, stamp) = (certificate.settings(), certificate.stamp());
        written(folder.path(), &[&other.chain, "\n"].concat(), &one.key);
        assert_ne!(certificate.stamp(), stamp);
        assert!(certificate.reload().is_err());
        assert!(Arc::ptr_eq(&first, &certificate.settings()));
        written(folder.path(), &other.chain, &other.key);
        certificate.reload().expect("usable");
        assert!(!Arc::ptr_eq(&first, &certificate.settings()));
    }
}
