//! The images of others that the packaging starts from: each is named by its digest, so that a name that somebody moves to
//! another image changes nothing here. Whether the registry still has that image is not known here.

use std::fs;

use daicho::snapshot::files::Sha256;

use super::packaging;

/// The images that `packaging/` builds, and the empty one.
const OWN: [&str; 2] = ["daicho", "scratch"];

/// The image that a line of a Dockerfile, of a compose file or of a manifest names.
fn image(line: &str) -> Option<&str> {
    let line = line.trim();
    let named = line.strip_prefix("FROM ").or_else(|| line.strip_prefix("image: "))?;
    named.split(' ').next()
}

fn is_fixed(image: &str) -> bool {
    OWN.contains(&image)
        || image
            .split_once("@sha256:")
            .is_some_and(|(name, digest)| name.contains(':') && Sha256::parse(digest).is_some())
}

#[test]
fn every_image_of_others_is_named_by_its_digest() {
    let mut found = Vec::new();
    for folder in ["docker", "kubernetes"] {
        for entry in fs::read_dir(packaging().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("a text");
            for image in text.lines().filter_map(image) {
                assert!(
                    is_fixed(image),
                    "{}: expected NAME:TAG@sha256:DIGEST, found {image}",
                    path.display()
                );
                found.push(image.to_owned());
            }
        }
    }
    for name in ["rust:", "postgres:"] {
        assert!(found.iter().any(|image| image.starts_with(name)), "{name} in {found:?}");
    }
}

#[test]
fn a_name_without_a_whole_digest_is_not_fixed() {
    let digest = "0".repeat(64);
    for (image, expected) in [
        ("scratch", true),
        (&format!("rust:1@sha256:{digest}"), true),
        ("rust:1", false),
        ("rust", false),
        (&format!("rust@sha256:{digest}"), false),
        (&format!("rust:1@sha256:{}", &digest[1..]), false),
        (&format!("rust:1@sha256:{}g", &digest[1..]), false),
    ] {
        assert_eq!(is_fixed(image), expected, "{image}");
    }
}
