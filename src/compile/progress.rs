//! A progress bar on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

/// One bar for a whole build; its message names the step.
pub struct Steps {
    bar: ProgressBar,
}

impl Steps {
    /// Draws on stderr where that is a terminal.
    pub fn begin() -> Steps {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{msg:28} {wide_bar} {percent:>3}%");
        bar.set_style(style.expect("the template is a constant"));
        Steps { bar }
    }

    /// Names the step that begins.
    pub fn step(&self, message: &str) {
        self.bar.set_message(message.to_owned());
        self.bar.set_position(0);
    }

    /// What a reader tells its progress to: bytes done and bytes in all.
    pub fn advance(&self) -> impl FnMut(u64, u64) {
        |done, total| {
            self.bar.set_length(total);
            self.bar.set_position(done);
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
