//! An object store that a server opens at first use: when the server starts, the environment may not allow it yet.

use super::bucket::Bucket;
use super::error::ReleaseError;
use super::store_url::RetryLimits;

#[derive(Debug)]
pub struct LazyBucket {
    url: String,
    opened: Option<Bucket>,
}

impl LazyBucket {
    pub fn new(url: String) -> LazyBucket {
        LazyBucket { url, opened: None }
    }

    /// If opening fails, the next call tries again.
    pub fn get(&mut self) -> Result<&Bucket, ReleaseError> {
        match &mut self.opened {
            Some(bucket) => Ok(bucket),
            empty => Ok(empty.insert(Bucket::open(&self.url, RetryLimits::SERVER)?)),
        }
    }
}
