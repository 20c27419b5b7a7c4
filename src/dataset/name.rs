//! The name of a corporation or an invoice issuer, which clients may ask for in normal form.

use super::member::MemberValue;
use super::member::shape::Shape;
use crate::export::{Cells, Value};
use crate::record::Text;
use crate::text::codes::ApiVersion;
use crate::text::name_form;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    #[default]
    Published,
    /// With half-width letters and digits and one long-vowel mark, see [`name_form`].
    Normalised,
}

pub struct Name<'s> {
    pub published: Text<'s>,
    pub naming: Naming,
}

impl MemberValue for Name<'_> {
    const SHAPE: Shape = Shape::Text;

    #[inline]
    fn write(self, out: &mut Vec<u8>, api: ApiVersion) {
        match self.naming {
            Naming::Published => self.published.write(out, api),
            Naming::Normalised => name_form::normalised(self.published.text).write(out, api),
        }
    }

    fn fill(self, cells: &mut Cells<'_>) {
        match self.naming {
            Naming::Published => self.published.fill(cells),
            Naming::Normalised => {
                cells.put(Value::Text(&name_form::normalised(self.published.text)))
            }
        }
    }
}
