//! The built script and the paths at which it is served.
//!
//! One path is fixed, and its content may change with each release. The other path contains a hash of the content, so
//! its content never changes. `assets/build.mjs` computes the same hashes for the documents that show them.

use std::sync::LazyLock;

use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest, Sha256, Sha384};

/// Hexadecimal digits of the hash in the path: 64 bits.
const HASH_DIGITS: usize = 16;

#[derive(Debug)]
pub struct Script {
    /// The fixed path, such as `/js/daicho.js`.
    pub path: &'static str,
    /// The path with the hash, such as `/js/daicho-0123456789abcdef.js`.
    pub immutable_path: String,
    /// The value of the attribute `integrity` of a tag.
    pub integrity: String,
    pub text: &'static str,
    pub map: &'static str,
}

impl Script {
    fn new(path: &'static str, text: &'static str, map: &'static str) -> Script {
        let name = HEXLOWER.encode(&Sha256::digest(text));
        let (stem, ending) = path.rsplit_once('.').expect("a script has an ending");
        Script {
            path,
            immutable_path: format!("{stem}-{}.{ending}", &name[..HASH_DIGITS]),
            integrity: format!("sha384-{}", BASE64.encode(&Sha384::digest(text))),
            text,
            map,
        }
    }
}

/// The script for a `script` tag.
pub static SCRIPT: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "/js/daicho.js",
        include_str!("assets/built/daicho.js"),
        include_str!("assets/built/daicho.js.map"),
    )
});

/// The ES module for `import`.
pub static MODULE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "/js/daicho.mjs",
        include_str!("assets/built/daicho.mjs"),
        include_str!("assets/built/daicho.mjs.map"),
    )
});

pub const TYPES: &str = include_str!("assets/daicho.d.ts");
