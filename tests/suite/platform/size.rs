//! How large the Wasm may be.

use harness::size::Size;

/// Kilobytes are a thousand bytes here, as in every download.
#[test]
fn the_wasm_is_at_most_1906_kb_and_796_gzipped() {
    let size = Size::of(&harness::edge::wasm().unwrap()).unwrap();
    println!("{size:?}");
    assert!(
        size.plain <= 1_906_000 && size.gzipped <= 796_000,
        "{size:?}"
    );
}
