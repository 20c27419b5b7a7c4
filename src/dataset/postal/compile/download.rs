//! Writes the compressed file for `/v1/download`: the whole data of a snapshot, as the API writes them.
//!
//! The records of the newest API version in area order, under `version` and `data` as in every answer. xz
//! compresses blocks of a fixed size, so the bytes do not depend on the number of threads.

use std::io::{self, Write};
use std::path::Path;
use std::thread::available_parallelism;

use liblzma::stream::{Check, MtStreamBuilder};
use liblzma::write::XzEncoder;

use crate::compile::error::{CompileError, Result};
use crate::dataset::postal::PostalData;
use crate::dataset::postal::{CityFragments, write_all_postal};
use crate::snapshot::{UnfinishedFile, companion};

/// Preset of xz. Per month of data: 1 takes 2.1 s of CPU for 5.0 MB, 3 takes 4.8 s for 4.6 MB, 6 takes 18 s for 4.4
/// MB.
const PRESET: u32 = 1;

/// Large enough that the start of a block costs nothing, small enough that each core of a machine has one.
const BLOCK_BYTES: u64 = 8 << 20;

/// Most threads: each holds a block and its tables, some 30 MB.
const THREADS_MAX: usize = 4;

/// The unfinished download of data whose snapshot will be at `path`.
pub fn prepare(data: &PostalData, path: &Path) -> Result<UnfinishedFile> {
    let records = data.records()?;
    let cities = CityFragments::new(data)?;
    let written = companion::prepare_download(path, |out| {
        let mut encoder = XzEncoder::new_stream(out, encoder()?);
        write_all_postal(data.version(), records, &cities, |bytes| encoder.write_all(bytes))?;
        encoder.finish().map(|_out| ())
    });
    written.map_err(|cause| CompileError::io(&companion::download_path(path), cause))
}

fn encoder() -> io::Result<liblzma::stream::Stream> {
    let threads = available_parallelism().map_or(1, |count| count.get().min(THREADS_MAX));
    let threads = u32::try_from(threads).expect("a few");
    let mut builder = MtStreamBuilder::new();
    builder.threads(threads).block_size(BLOCK_BYTES).preset(PRESET).check(Check::Crc64);
    Ok(builder.encoder()?)
}
