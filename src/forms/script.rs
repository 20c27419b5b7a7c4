//! The built script and the names that it is served under.
//!
//! One name is fixed, and its content may change with each release; the other has the hash of the content and never
//! changes. `assets/build.mjs` computes the same hashes for the documents that show them.

use std::sync::LazyLock;

use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest, Sha256, Sha384};

/// Letters of the hash in the name: 64 bits.
const NAME_LETTERS: usize = 16;

#[derive(Debug)]
pub struct Script {
    /// As `/js/daicho.js`.
    pub path: &'static str,
    /// As `/js/daicho-0123456789abcdef.js`.
    pub immutable_path: String,
    /// For the attribute `integrity` of a tag.
    pub integrity: String,
    pub text: &'static str,
    pub map: &'static str,
}

impl Script {
    fn of(path: &'static str, text: &'static str, map: &'static str) -> Script {
        let name = HEXLOWER.encode(&Sha256::digest(text));
        let (stem, ending) = path.rsplit_once('.').expect("a script has an ending");
        Script {
            path,
            immutable_path: format!("{stem}-{}.{ending}", &name[..NAME_LETTERS]),
            integrity: format!("sha384-{}", BASE64.encode(&Sha384::digest(text))),
            text,
            map,
        }
    }
}

/// For a tag.
pub static SCRIPT: LazyLock<Script> = LazyLock::new(|| {
    Script::of(
        "/js/daicho.js",
        include_str!("assets/built/daicho.js"),
        include_str!("assets/built/daicho.js.map"),
    )
});

/// For `import`.
pub static MODULE: LazyLock<Script> = LazyLock::new(|| {
    Script::of(
        "/js/daicho.mjs",
        include_str!("assets/built/daicho.mjs"),
        include_str!("assets/built/daicho.mjs.map"),
    )
});

pub const TYPES: &str = include_str!("assets/daicho.d.ts");
