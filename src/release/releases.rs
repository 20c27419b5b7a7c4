//! The releases in the object store, and the files that it has for them.

use std::collections::BTreeMap;

use super::bucket::Bucket;
use super::error::ReleaseError;
use super::manifest::Manifest;
use super::number::Number;
use super::sha256;

/// Release numbers, ascending.
pub fn numbers(bucket: &Bucket) -> Result<Vec<Number>, ReleaseError> {
    let listed = bucket.list("releases")?;
    let mut numbers: Vec<Number> =
        listed.iter().filter_map(|object| Number::from_object_name(&object.name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The newest release; an error if there is none.
pub fn newest(bucket: &Bucket) -> Result<Number, ReleaseError> {
    let last = numbers(bucket)?.pop();
    last.ok_or_else(|| ReleaseError::NoReleases { url: bucket.url().to_owned() })
}

pub fn manifest(bucket: &Bucket, number: Number) -> Result<Manifest, ReleaseError> {
    let name = number.object_name();
    let Some((bytes, _)) = bucket.read(&name)? else {
        return Err(ReleaseError::NoSuchRelease { url: bucket.url().to_owned(), number });
    };
    Manifest::parse(&bucket.object_url(&name), number, &bytes)
}

/// The stored files: the size of each by the name of its object.
pub fn file_sizes(bucket: &Bucket) -> Result<BTreeMap<String, u64>, ReleaseError> {
    let files = bucket.list(sha256::FOLDER)?.into_iter();
    Ok(files.map(|object| (object.name, object.bytes)).collect())
}
