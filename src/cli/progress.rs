//! Progress bars on standard error, if it is a terminal.

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

use crate::compile::Progress;

/// One bar for a whole build; its message names the step.
pub struct StepBar(ProgressBar);

impl StepBar {
    pub fn new() -> StepBar {
        let bar = ProgressBar::new(0).with_finish(ProgressFinish::AndClear);
        bar.set_style(style("{msg:28} {wide_bar} {percent:>3}%"));
        StepBar(bar)
    }

    pub fn hidden() -> StepBar {
        StepBar(ProgressBar::hidden())
    }

    /// Prints lines above the bar.
    pub fn print_above(&self, print: &mut dyn FnMut()) {
        self.0.suspend(print);
    }
}

impl Progress for StepBar {
    fn step(&self, name: &str) {
        self.0.set_message(name.to_owned());
        self.0.set_position(0);
    }

    fn advance(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }
}

/// A progress bar over the bytes of an input, or a counter if the size is unknown.
pub struct ByteBar(ProgressBar);

impl ByteBar {
    pub fn new(length_bytes: Option<u64>) -> ByteBar {
        let (bar, template) = match length_bytes {
            Some(length) => {
                (ProgressBar::new(length), "{msg:28} {wide_bar} {percent:>3}% {eta:>4}")
            }
            None => (ProgressBar::new_spinner(), "{spinner} {msg} ({bytes})"),
        };
        bar.set_style(style(template));
        ByteBar(bar.with_finish(ProgressFinish::AndClear))
    }

    pub fn hidden() -> ByteBar {
        ByteBar(ProgressBar::hidden())
    }

    /// Adds bytes. `message` gets the seconds since the beginning and is called only if the bar is visible.
    pub fn advance(&self, bytes: u64, message: impl FnOnce(f64) -> String) {
        if !self.0.is_hidden() {
            self.0.set_message(message(self.0.elapsed().as_secs_f64()));
            self.0.inc(bytes);
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is a constant")
}
