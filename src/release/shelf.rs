//! The existing releases.

use super::bucket::Bucket;
use super::error::ReleaseError;
use super::manifest::Manifest;
use super::number::Number;

/// Release numbers, ascending.
pub fn numbers(bucket: &Bucket) -> Result<Vec<Number>, ReleaseError> {
    let listed = bucket.list("releases")?;
    let mut numbers: Vec<Number> =
        listed.iter().filter_map(|object| Number::of_object(&object.name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The newest release; an error if there is none.
pub fn newest(bucket: &Bucket) -> Result<Number, ReleaseError> {
    let last = numbers(bucket)?.pop();
    last.ok_or_else(|| ReleaseError::NoReleases { place: bucket.shown().to_owned() })
}

pub fn manifest(bucket: &Bucket, number: Number) -> Result<Manifest, ReleaseError> {
    let name = number.object();
    let Some((bytes, _)) = bucket.read(&name)? else {
        return Err(ReleaseError::Missing { place: bucket.shown().to_owned(), number });
    };
    Manifest::parse(&bucket.place(&name), number, &bytes)
}
