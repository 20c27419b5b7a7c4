//! Not yet brought up to date.

use crate::update::error::UpdateError;
use crate::update::release::{Look, Published, Release};
use crate::update::run::Run;

pub struct Holidays;

impl Release for Holidays {
    type Plan = ();

    fn look(run: &Run<'_>) -> Result<Look<()>, UpdateError> {
        Err(UpdateError::Settings {
            name: run.subject.name().to_owned(),
            expected: "a dataset that this version brings up to date".to_owned(),
            found: run.subject.name().to_owned(),
            remedy: "build it with 'daicho build'",
        })
    }

    fn bring(run: &Run<'_>, _plan: ()) -> Result<Published, UpdateError> {
        Err(UpdateError::not_the_file("", "", run.subject.name(), ""))
    }
}
