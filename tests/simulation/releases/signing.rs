//! The keys of a simulation: that of the publishers, whose public half the servers have, and that of a stranger.

use std::fs;
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, HEXLOWER};

use super::editions;
use crate::release::signature::{PublicKey, SigningKey};

/// The private keys of RFC 8032, 7.1, tests 1 and 2, and the public one of the first.
const OWN: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const OWN_PUBLIC: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const STRANGER: &str = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";

/// What stands before the 32 bytes of an Ed25519 key in its file (RFC 8410).
const PRIVATE_PREFIX: &str = "302e020100300506032b657004220420";
const PUBLIC_PREFIX: &str = "302a300506032b6570032100";

/// Writes the files of the keys into a folder.
pub fn write_keys(folder: &Path) {
    for (name, label, text) in [
        ("own.pem", "PRIVATE KEY", [PRIVATE_PREFIX, OWN].concat()),
        ("public.pem", "PUBLIC KEY", [PUBLIC_PREFIX, OWN_PUBLIC].concat()),
        ("stranger.pem", "PRIVATE KEY", [PRIVATE_PREFIX, STRANGER].concat()),
    ] {
        let bytes = HEXLOWER.decode(text.as_bytes()).expect("hexadecimal");
        let base64 = BASE64.encode(&bytes);
        let text = format!("-----BEGIN {label}-----\n{base64}\n-----END {label}-----\n");
        fs::write(folder.join(name), text).expect("written");
    }
}

pub fn own_key() -> SigningKey {
    SigningKey::read(&editions::folder().path().join("own.pem")).expect("a key")
}

pub fn strangers_key() -> SigningKey {
    SigningKey::read(&editions::folder().path().join("stranger.pem")).expect("a key")
}

/// The file that servers and publishers check signatures with.
pub fn public_key_path() -> PathBuf {
    editions::folder().path().join("public.pem")
}

pub fn public_key() -> PublicKey {
    PublicKey::read(&public_key_path()).expect("a key")
}
