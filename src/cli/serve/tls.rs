//! The options for TLS, and the thread that reads a renewed certificate.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::cli::error::CommandError;
use crate::server::certificate::{Certificate, CertificateFiles};
use crate::worker::{Inbox, Wake, WorkerThread};

/// How often the files are looked at.
const INTERVAL: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
pub struct TlsArgs {
    /// File with the server's certificate and those that sign it, in PEM form. All addresses then speak
    /// HTTPS instead of HTTP. Read again when it changes and on SIGHUP. Needs --tls-key
    #[arg(long, value_name = "FILE", env = "DAICHO_TLS_CERT")]
    pub tls_cert: Option<PathBuf>,
    /// File with the private key of the certificate, in PEM form, without a passphrase
    #[arg(long, value_name = "FILE", env = "DAICHO_TLS_KEY")]
    tls_key: Option<PathBuf>,
}

impl TlsArgs {
    /// `None` without the options.
    pub fn check(&self) -> Result<Option<Arc<Certificate>>, CommandError> {
        let (chain, key) = match (&self.tls_cert, &self.tls_key) {
            (None, None) => return Ok(None),
            (Some(chain), Some(key)) => (chain.clone(), key.clone()),
            (Some(_), None) => return Err(alone("--tls-cert", "--tls-key")),
            (None, Some(_)) => return Err(alone("--tls-key", "--tls-cert")),
        };
        let certificate = Certificate::open(CertificateFiles { chain, key });
        let certificate = certificate
            .map_err(|error| CommandError::Failed(format!("--tls-cert, --tls-key: {error}")))?;
        Ok(Some(Arc::new(certificate)))
    }
}

fn alone(given: &str, missing: &str) -> CommandError {
    CommandError::Usage(format!("{given} needs {missing}; found it alone; name both files"))
}

/// Asks the thread to read the files again.
#[derive(Debug, Clone, Copy)]
struct Reload;

/// The thread that watches the files; dropping it ends the thread.
#[derive(Debug)]
pub struct Renewal(WorkerThread<Reload>);

impl Renewal {
    pub fn start(certificate: Arc<Certificate>) -> io::Result<Renewal> {
        WorkerThread::start("certificate", move |inbox, _| watch(&certificate, inbox)).map(Renewal)
    }

    pub fn request(&self) {
        self.0.waker(|| Reload)();
    }
}

fn watch(certificate: &Certificate, inbox: &Inbox<Reload>) {
    let mut stamp = certificate.stamp();
    loop {
        let is_requested = match inbox.wait(INTERVAL) {
            Wake::Event(Reload) => true,
            Wake::Timeout => false,
            Wake::Stop => return,
        };
        let found = certificate.stamp();
        if found == stamp && !is_requested {
            continue;
        }
        stamp = found;
        match certificate.reload() {
            Ok(()) => {
                tracing::info!("new connections use the certificate as the files have it now")
            }
            Err(error) => tracing::error!(
                %error,
                "the files of the certificate cannot be used; keeping the earlier certificate"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_certificate_and_its_key_belong_together() {
        let check = |cert: Option<&str>, key: Option<&str>| {
            TlsArgs { tls_cert: cert.map(PathBuf::from), tls_key: key.map(PathBuf::from) }.check()
        };
        assert!(check(None, None).expect("no TLS").is_none());
        for (cert, key, expected, exit_code) in [
            (Some("a.pem"), None, "--tls-cert needs --tls-key", 2),
            (None, Some("a.pem"), "--tls-key needs --tls-cert", 2),
            (Some("/nowhere/a.pem"), Some("/nowhere/a.pem"), "/nowhere/a.pem: expected a file", 1),
        ] {
            let error = check(cert, key).expect_err("wrong");
            assert_eq!(error.exit_code(), exit_code);
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
