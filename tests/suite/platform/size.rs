//! How large the Wasm may be.

use harness::size::Size;

/// Kilobytes are a thousand bytes here, as in every download.
#[test]
fn the_wasm_is_at_most_1900_kb_and_795_gzipped() {
    let size = Size::of(&harness::edge::wasm().unwrap()).unwrap();
    println!("{size:?}");
    assert!(
        size.plain <= 1_900_000 && size.gzipped <= 795_000,
        "{size:?}"
    );
}
