//! The wall-clock time of log lines.
//!
//! Reads the wall clock once in `ANCHOR_AGE_MAX` and adds monotonic time in between; the text of a second is
//! formatted once. So a change of the clock is followed within that time, forward and backward.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long the two clocks may drift before they are compared again.
const ANCHOR_AGE_MAX: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub struct LogClock {
    /// One point in time by both clocks, so that a line need not read the wall clock.
    pub(super) anchor: Option<(Instant, Duration)>,
    second: u64,
    /// `2026-11-20T23:55:48`, of `second`.
    second_text: String,
}

impl LogClock {
    /// The text of the second of this instant, and its milliseconds.
    pub fn text(&mut self, instant: Instant) -> (&str, u32) {
        let since = self.since_epoch(instant);
        if since.as_secs() != self.second || self.second_text.is_empty() {
            self.second = since.as_secs();
            self.second_text = second_text(self.second);
        }
        (&self.second_text, since.subsec_millis())
    }

    fn since_epoch(&mut self, instant: Instant) -> Duration {
        if let Some((anchor, since)) = self.anchor
            && let Some(elapsed) = instant.checked_duration_since(anchor)
            && elapsed < ANCHOR_AGE_MAX
        {
            return since + elapsed;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.anchor = Some((Instant::now(), since));
        since
    }
}

fn second_text(second: u64) -> String {
    let second = i64::try_from(second).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_second(second).unwrap_or(jiff::Timestamp::MAX);
    time.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}
