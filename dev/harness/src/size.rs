//! How large the Wasm is: a start from cold reads all of it.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A Wasm's size in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// As it is uploaded and read.
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
        let cannot = |error| format!("{} cannot be measured: {error}.", wasm.display());
        let bytes = fs::read(wasm).map_err(cannot)?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes).map_err(cannot)?;
        Ok(Self {
            plain: bytes.len() as u64,
            gzipped: encoder.finish().map_err(cannot)?.len() as u64,
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
