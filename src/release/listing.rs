//! Lists of objects of the store of which some may be bad. Whoever may write to a folder of the store, such as any server
//! to `nodes/`, can put a bad object there. It must not stop the work with the others, so it is left out, with the
//! reason.
//!
//! A release whose number is far above the others is left out too: a single object `releases/999999.json` would end the
//! numbering otherwise, since six digits have no number after it. Publishers give numbers one after the other, so a gap
//! above another number comes from a prune, and no prune leaves a gap of [`GAP_MAX`]. More digits would not help: the
//! highest number of any length ends the numbering.

use super::bucket::Bucket;
use super::error::ReleaseError;
use super::identifiers::{GAP_MAX, Number};

#[derive(Debug)]
pub struct Listing<T> {
    pub sound: Vec<T>,
    /// Why the others are left out. Each names its object.
    pub bad: Vec<ReleaseError>,
}

impl<T> Default for Listing<T> {
    fn default() -> Listing<T> {
        Listing { sound: Vec::new(), bad: Vec::new() }
    }
}

impl<T> Listing<T> {
    /// Adds an object that was read. Fails if it could not be read for another reason than its content.
    pub fn add(&mut self, read: Result<T, ReleaseError>) -> Result<(), ReleaseError> {
        match read {
            Ok(object) => self.sound.push(object),
            Err(error) if error.is_bad_object() => self.bad.push(error),
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// The numbers of the stored releases, ascending. One far above the number before it counts only if it is known:
/// `is_known` may read its release.
pub fn numbers(
    bucket: &Bucket,
    is_known: &mut dyn FnMut(Number) -> Result<bool, ReleaseError>,
) -> Result<Listing<Number>, ReleaseError> {
    let listed = bucket.list("releases")?;
    let mut numbers: Vec<Number> =
        listed.iter().filter_map(|object| Number::from_object_name(&object.name)).collect();
    numbers.sort_unstable();
    let mut listing = Listing::default();
    let mut before = 0;
    for number in numbers {
        if number.value() - before <= GAP_MAX || is_known(number)? {
            before = number.value();
            listing.sound.push(number);
        } else {
            let url = bucket.object_url(&number.object_name());
            listing.bad.push(ReleaseError::StrayNumber { url, number, before });
        }
    }
    Ok(listing)
}

#[cfg(test)]
mod tests {
    use super::super::store_url::RetryLimits;
    use super::*;

    #[test]
    fn a_number_far_above_the_others_counts_only_if_it_is_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("file://{}", folder.path().display());
        let bucket = Bucket::open(&url, RetryLimits::COMMAND).expect("a folder as a store");
        let number = |value: u64| Number::from_value(value).expect("a number");
        for (stored, known, sound, bad) in [
            (&[][..], &[][..], &[][..], &[][..]),
            (&[1, 2, 3], &[], &[1, 2, 3], &[]),
            (&[9_000, 10_001], &[], &[9_000, 10_001], &[]),
            (&[1, 10_001, 20_002], &[], &[1, 10_001], &[20_002]),
            (&[999_999], &[], &[], &[999_999]),
            (&[50_000, 50_001, 999_999], &[50_000], &[50_000, 50_001], &[999_999]),
        ] {
            for value in stored {
                bucket.write(&number(*value).object_name(), b"{}".to_vec()).expect("written");
            }
            let is_known = &mut |found: Number| Ok(known.contains(&u64::from(found.value())));
            let listing = numbers(&bucket, is_known).expect("listed");
            let found: Vec<u64> = listing.sound.iter().map(|it| it.value().into()).collect();
            let left_out: Vec<u64> = listing
                .bad
                .iter()
                .map(|error| match error {
                    ReleaseError::StrayNumber { number, .. } => number.value().into(),
                    other => panic!("{other}"),
                })
                .collect();
            assert_eq!((&found[..], &left_out[..]), (sound, bad), "{stored:?}");
            let names: Vec<String> = stored.iter().map(|it| number(*it).object_name()).collect();
            bucket.remove(&names).expect("removed");
        }
    }
}
