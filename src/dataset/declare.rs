//! What the list of datasets expands to: the catalog with a field for each, and the arrays with an element for each.

use std::io;
use std::path::{Path, PathBuf};

use crate::snapshot::{Dataset, DatasetKind, SnapshotFile, Versions};

#[derive(Debug, thiserror::Error)]
#[error("{folder}: {cause}; check the snapshot folder and its permissions", folder = .folder.display())]
pub struct CatalogError {
    pub folder: PathBuf,
    #[source]
    pub cause: io::Error,
}

/// Opens the files of one dataset, as a part of the scan of all.
pub(super) fn scan_one<D: Dataset>(
    folder: &Path,
    previous: Option<&Versions<D>>,
    newest: &mut dyn FnMut(DatasetKind, &SnapshotFile),
) -> Result<Versions<D>, CatalogError> {
    let scanned = Versions::scan_notifying(folder, previous, &mut |file| newest(D::KIND, file));
    scanned.map_err(|cause| CatalogError { folder: folder.to_owned(), cause })
}

/// Declares the list of datasets. Each entry is the name of its field in the catalog, and the type of its open form; one
/// that is only for tests has an attribute that says so.
macro_rules! datasets {
    ($($(#[$cfg:meta])? $name:ident: $Data:ty,)*) => {
        use std::path::Path;
        use std::sync::Arc;

        use crate::compile::CompileError;
        use crate::snapshot::{Dataset, DatasetKind, Listed, ReadMode, SnapshotFile, Versions};

        const COUNT: usize = [$($(#[$cfg])? stringify!($name)),*].len();

        pub const KINDS: [DatasetKind; COUNT] = [$($(#[$cfg])? <$Data>::KIND),*];

        pub const DATASETS: &[Facts; COUNT] = &[$($(#[$cfg])? Facts::of::<$Data>()),*];

        /// Calls the visitor with the type of a dataset; `None` if the list does not have it.
        pub fn visit<V: DatasetVisitor>(kind: DatasetKind, visitor: V) -> Option<V::Output> {
            $(
                $(#[$cfg])?
                if kind == <$Data>::KIND {
                    return Some(visitor.visit::<$Data>());
                }
            )*
            None
        }

        $(
            $(#[$cfg])?
            impl Listed for $Data {
                const KINDS: &'static [DatasetKind] = &KINDS;
            }
        )*

        /// The content of the snapshot folder at one scan. Immutable: a reload makes a new one.
        #[derive(Debug, Default)]
        pub struct Catalog {
            $($(#[$cfg])? $name: Versions<$Data>,)*
            /// The operator's corrections, which the newest versions answer with.
            pub laid: Arc<LaidCorrections>,
        }

        impl Catalog {
            /// An empty catalog; a scan with it as `previous` opens files with this way of reading.
            pub fn with_read_mode(read_mode: ReadMode) -> Catalog {
                let laid = Arc::default();
                Catalog { $($(#[$cfg])? $name: Versions::with_read_mode(read_mode),)* laid }
            }

            /// Opens the files in the folder. Unchanged files stay open from `previous`, whose way of reading also
            /// applies to new ones; damaged files are listed. `newest` is called with each file that becomes the newest
            /// of its dataset, before it is checked.
            pub fn scan_notifying(
                folder: &Path,
                previous: Option<&Catalog>,
                newest: &mut dyn FnMut(DatasetKind, &SnapshotFile),
            ) -> Result<Catalog, CatalogError> {
                $(
                    $(#[$cfg])?
                    let $name = declare::scan_one(folder, previous.map(Catalog::$name), newest)?;
                )*
                Ok(Catalog { $($(#[$cfg])? $name,)* laid: Arc::default() })
            }

            /// Lays corrections over the newest versions, as far as `extent` needs them. What `previous` has made of the
            /// same files and rows stays in use.
            pub fn with_corrections(
                self,
                extent: Extent<'_>,
                corrections: &Corrections,
                today: DataVersion,
                previous: Option<&Catalog>,
            ) -> Result<Catalog, CompileError> {
                let mut by_dataset = Vec::new();
                $(
                    $(#[$cfg])?
                    let before = previous.map(|previous| (&previous.$name, &*previous.laid));
                    $(#[$cfg])?
                    let ($name, laid) = match extent.kinds.contains(&<$Data>::KIND) {
                        true => lay(self.$name, corrections, extent.days, today, before)?,
                        false => (self.$name, None),
                    };
                    $(#[$cfg])?
                    by_dataset.extend(laid);
                )*
                let laid = Arc::new(LaidCorrections { by_dataset, today: Some(today) });
                Ok(Catalog { $($(#[$cfg])? $name,)* laid })
            }

            /// What corrections do to the newest versions as they were published, without laying them over.
            pub fn compare_corrections(
                &self,
                corrections: &Corrections,
            ) -> Result<Vec<Laid>, CompileError> {
                let mut compared = Vec::new();
                $($(#[$cfg])? compared.extend(compare(&self.$name, corrections)?);)*
                Ok(compared)
            }

            /// The versions of each dataset, in the order of the list.
            pub fn datasets(&self) -> [&dyn AnyVersions; COUNT] {
                [$($(#[$cfg])? &self.$name),*]
            }

            $(
                $(#[$cfg])?
                pub fn $name(&self) -> &Versions<$Data> {
                    &self.$name
                }
            )*
        }
    };
}

pub(super) use datasets;
