//! Progress bars on standard error, if it is a terminal.

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

use crate::compile::Progress;

/// One bar for a whole build; its message names the step.
pub struct StepBar {
    bar: ProgressBar,
}

impl StepBar {
    pub fn new() -> StepBar {
        let bar = ProgressBar::new(0).with_finish(ProgressFinish::AndClear);
        bar.set_style(style("{msg:28} {wide_bar} {percent:>3}%"));
        StepBar { bar }
    }

    /// Prints lines above the bar.
    pub fn print_above(&self, print: &mut dyn FnMut()) {
        self.bar.suspend(print);
    }
}

impl Progress for StepBar {
    fn step(&self, name: &str) {
        self.bar.set_message(name.to_owned());
        self.bar.set_position(0);
    }

    fn advance(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
    }
}

/// A progress bar over the bytes of an input, or a counter if the size is unknown.
pub struct ByteBar {
    bar: ProgressBar,
}

impl ByteBar {
    pub fn new(length_bytes: Option<u64>) -> ByteBar {
        let (bar, template) = match length_bytes {
            Some(length) => {
                (ProgressBar::new(length), "{msg:28} {wide_bar} {percent:>3}% {eta:>4}")
            }
            None => (ProgressBar::new_spinner(), "{spinner} {msg} ({bytes})"),
        };
        bar.set_style(style(template));
        ByteBar { bar: bar.with_finish(ProgressFinish::AndClear) }
    }

    pub fn hidden() -> ByteBar {
        ByteBar { bar: ProgressBar::hidden() }
    }

    /// Adds bytes. `message` gets the seconds since the beginning and is called only if the bar is visible.
    pub fn advance(&self, bytes: u64, message: impl FnOnce(f64) -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_message(message(self.bar.elapsed().as_secs_f64()));
            self.bar.inc(bytes);
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is a constant")
}
