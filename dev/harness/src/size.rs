//! How large something is: the Wasm, of which a start from cold reads all, or a page.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A size in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// As it is.
    pub plain: u64,
    /// As it travels.
    pub gzipped: u64,
}

impl Size {
    /// Measures a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(wasm: &Path) -> Result<Self, String> {
        let bytes = fs::read(wasm)
            .map_err(|error| format!("{} cannot be measured: {error}.", wasm.display()))?;
        Self::of_bytes(&bytes)
    }

    /// The same of what is in no file.
    ///
    /// # Errors
    /// When it cannot be compressed.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let written = encoder.write_all(bytes);
        let gzipped = written.and_then(|()| encoder.finish());
        let gzipped = gzipped.map_err(|error| format!("Nothing can be compressed: {error}."))?;
        Ok(Self {
            plain: bytes.len() as u64,
            gzipped: gzipped.len() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    #[test]
    fn what_repeats_itself_travels_light() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.wasm");
        fs::write(&file, [0; 10_000]).unwrap();
        let size = Size::of(&file).unwrap();
        assert!(size.plain == 10_000 && size.gzipped < 100, "{size:?}");
        let missing = Size::of(&folder.path().join("b.wasm")).unwrap_err();
        assert!(missing.contains("b.wasm cannot be measured"), "{missing}");
    }
}
