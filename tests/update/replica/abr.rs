//! The address base registry: serves the town master, or refuses it as the real site does outside Japan.

use super::{Answer, Replica};

pub const TOWN: &str = "/mt_town/mt_town_all.csv.zip";

pub fn publish(replica: &Replica, town: &[u8]) {
    replica.get(TOWN, Answer::file(town));
}

pub fn refuse(replica: &Replica) {
    replica.get(TOWN, Answer { status: 403, ..Answer::html("<html><title>ERROR</title>") });
}
