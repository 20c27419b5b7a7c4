//! The time of log lines as text; that of a second is formatted once.

use std::time::Instant;

use super::wall_clock::WallClock;

#[derive(Debug, Default)]
pub struct LogClock {
    pub(super) wall: WallClock,
    second: u64,
    /// `2026-11-20T23:55:48`, of `second`.
    second_text: String,
}

impl LogClock {
    /// The text of the second of this instant, and its milliseconds.
    pub fn text(&mut self, instant: Instant) -> (&str, u32) {
        let since = self.wall.since_epoch(instant);
        if since.as_secs() != self.second || self.second_text.is_empty() {
            self.second = since.as_secs();
            self.second_text = second_text(self.second);
        }
        (&self.second_text, since.subsec_millis())
    }
}

fn second_text(second: u64) -> String {
    let second = i64::try_from(second).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_second(second).unwrap_or(jiff::Timestamp::MAX);
    time.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}
