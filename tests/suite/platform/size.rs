//! How large the Wasm may be.

use harness::size::Size;

/// Kilobytes are a thousand bytes here, as in every download.
#[test]
fn the_wasm_is_at_most_1738_kb_and_697_gzipped() {
    let size = Size::of(&harness::edge::wasm().unwrap()).unwrap();
    println!("{size:?}");
    assert!(
        size.plain <= 1_738_000 && size.gzipped <= 697_000,
        "{size:?}"
    );
}
