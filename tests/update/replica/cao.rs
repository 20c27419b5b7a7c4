//! The Cabinet Office: the list of holidays under its old name (`syukujitsu`) or its new one (`shukujitsu`).

use super::{Answer, Replica};

pub const LIST: &str = "/chosei/shukujitsu/syukujitsu.csv";
pub const RENAMED: &str = "/chosei/shukujitsu/shukujitsu.csv";

pub fn publish(replica: &Replica, path: &str, text: &str, modified: &str) {
    let answer = Answer::file(&encoded(text)).header("content-type", "text/csv");
    replica.get(path, answer.header("last-modified", modified));
}

pub fn encoded(text: &str) -> Vec<u8> {
    encoding_rs::SHIFT_JIS.encode(text).0.into_owned()
}
