//! How large the Wasm may be.

use harness::size::Size;

/// Kilobytes are a thousand bytes here, as in every download.
#[test]
fn the_wasm_is_at_most_1782_kb_and_747_gzipped() {
    let size = Size::of(&harness::edge::wasm().unwrap()).unwrap();
    println!("{size:?}");
    assert!(
        size.plain <= 1_782_000 && size.gzipped <= 747_000,
        "{size:?}"
    );
}
