//! Ed25519 keys in the files that `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout` write.

use std::path::{Path, PathBuf};

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};

/// The prefix of a public Ed25519 key file; the 32 bytes of the key follow (RFC 8410).
const PUBLIC_KEY_PREFIX: [u8; 12] =
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

#[derive(Debug, thiserror::Error)]
#[error("{path}: expected {expected}, found {found}", path = .path.display())]
pub struct KeyError {
    path: PathBuf,
    expected: &'static str,
    found: String,
}

/// `Debug` never shows the key.
#[derive(derive_more::Debug)]
#[debug("SigningKey")]
pub struct SigningKey(Ed25519KeyPair);

#[derive(Debug, Clone)]
pub struct PublicKey([u8; 32]);

impl SigningKey {
    pub fn read(path: &Path) -> Result<SigningKey, KeyError> {
        let expected =
            "a private Ed25519 key in PEM, as 'openssl genpkey -algorithm ed25519' writes it";
        let failed = |found: String| KeyError { path: path.to_owned(), expected, found };
        let der =
            PrivatePkcs8KeyDer::from_pem_file(path).map_err(|error| failed(error.to_string()))?;
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der.secret_pkcs8_der());
        pair.map(SigningKey).map_err(|error| failed(format!("another key ({error})")))
    }

    /// The key that verifies what this one signs.
    pub fn public_key(&self) -> PublicKey {
        let key = self.0.public_key().as_ref();
        PublicKey(key.try_into().expect("a public Ed25519 key has 32 bytes"))
    }

    pub fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.sign(bytes).as_ref().to_vec()
    }
}

impl PublicKey {
    pub fn read(path: &Path) -> Result<PublicKey, KeyError> {
        let expected = "a public Ed25519 key in PEM, as 'openssl pkey -pubout' writes it";
        let failed = |found: String| KeyError { path: path.to_owned(), expected, found };
        let der = SubjectPublicKeyInfoDer::from_pem_file(path)
            .map_err(|error| failed(error.to_string()))?;
        let key = der.strip_prefix(&PUBLIC_KEY_PREFIX[..]).and_then(|key| key.try_into().ok());
        key.map(PublicKey).ok_or_else(|| failed("a key of another kind".to_owned()))
    }

    pub fn verifies(&self, bytes: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(bytes, signature).is_ok()
    }
}
