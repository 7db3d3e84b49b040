//! How large the Wasm may be.

use harness::size::Size;

/// Kilobytes are a thousand bytes here, as in every download. Conditions, in `bypass_when` and in the `when` of rooms, took 12 of them.
#[test]
fn the_wasm_is_at_most_1750_kb_and_702_gzipped() {
    let size = Size::of(&harness::edge::wasm().unwrap()).unwrap();
    println!("{size:?}");
    assert!(
        size.plain <= 1_750_000 && size.gzipped <= 702_000,
        "{size:?}"
    );
}
