//! How large the Wasm may be.

use harness::size::Size;

/// Kilobytes are a thousand bytes here, as in every download.
#[test]
fn the_wasm_is_at_most_1757_kb_and_705_gzipped() {
    let size = Size::of(&harness::edge::wasm().unwrap()).unwrap();
    println!("{size:?}");
    assert!(
        size.plain <= 1_757_000 && size.gzipped <= 705_000,
        "{size:?}"
    );
}
