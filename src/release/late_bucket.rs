//! An object store that a server opens at first use, because the environment may not allow it at the start.

use super::bucket::Bucket;
use super::error::ReleaseError;
use super::store_url::Patience;

#[derive(Debug)]
pub struct LateBucket {
    url: String,
    opened: Option<Bucket>,
}

impl LateBucket {
    pub fn at(url: String) -> LateBucket {
        LateBucket { url, opened: None }
    }

    /// If opening fails, the next call tries again.
    pub fn get(&mut self) -> Result<&Bucket, ReleaseError> {
        match &mut self.opened {
            Some(bucket) => Ok(bucket),
            empty => Ok(empty.insert(Bucket::open(&self.url, Patience::SERVER)?)),
        }
    }
}
