//! `cargo dev bench --size`: which crates the Wasm consists of, which parts of our own, and its largest functions.
//!
//! The Wasm is built once more with the names of its functions, which the shipped one has not; its code is the same, except that addresses
//! are as long as they could be: the linker shortens none in a file with names. A function that
//! was taken into another counts for the other, and a generic one for the crate that wrote it.

mod symbol;
mod wasm;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use harness::process;
use harness::project::{self, WASM_TARGET};
use harness::size::Size;
use symbol::Symbol;
use wasm::Wasm;

/// How many functions are told.
const LARGEST: usize = 40;
/// Rows of less than this are told together.
const SMALL: usize = 1000;

/// Builds the Wasm with its names.
///
/// # Errors
/// When the build fails.
pub(crate) fn named() -> Result<PathBuf, String> {
    let words = [
        "build",
        "--profile",
        "named",
        "--target",
        WASM_TARGET,
        "--package",
        "now-serving",
        "--bin",
        "now-serving",
    ];
    // Without the flag of .cargo/config.toml, which strips the names.
    let mut cargo = project::cargo(&words)?;
    if !process::run(cargo.env("RUSTFLAGS", ""))? {
        return Err("The Wasm could not be built, see above.".to_owned());
    }
    let target = &project::project()?.target;
    Ok(target.join(WASM_TARGET).join("named/now-serving.wasm"))
}

/// What this Wasm consists of, as a table and as numbers; `shipped` is the one without names.
///
/// # Errors
/// When one cannot be read.
pub(crate) fn size(named: &Path, shipped: &Path) -> Result<Value, String> {
    let bytes =
        fs::read(named).map_err(|error| format!("{} cannot be read: {error}.", named.display()))?;
    let wasm = Wasm::read(&bytes)
        .ok_or_else(|| format!("{} is not a Wasm with names.", named.display()))?;
    let size = Size::of(shipped)?;
    let (mut crates, mut ours) = (BTreeMap::new(), BTreeMap::new());
    for (name, bytes) in &wasm.functions {
        let symbol = Symbol::of(name);
        add(&mut crates, symbol.krate(), *bytes);
        if let Some(part) = symbol.part_of("now_serving") {
            add(&mut ours, part, *bytes);
        }
    }
    let mut largest: Vec<(String, usize)> = (wasm.functions.iter())
        .map(|(name, bytes)| (Symbol::of(name).readable(), *bytes))
        .collect();
    largest.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    largest.truncate(LARGEST);
    let (crates, ours) = (sorted(crates), sorted(ours));
    anstream::println!(
        "\nShipped: {} bytes, {} gzipped. With names: {} bytes of code, {} of data, {} of other sections that are shipped.\n",
        size.plain,
        size.gzipped,
        wasm.code,
        wasm.data,
        wasm.other
    );
    print("crate", &crates, wasm.code);
    print("part of now_serving", &ours, wasm.code);
    print("function", &largest, wasm.code);
    let rows = |rows: &[(String, usize)]| {
        let row = |(name, bytes): &(String, usize)| json!({ "name": name, "bytes": bytes });
        rows.iter().map(row).collect::<Vec<_>>()
    };
    Ok(json!({
        "bytes": size.plain,
        "gzipped_bytes": size.gzipped,
        "code": wasm.code,
        "data": wasm.data,
        "other": wasm.other,
        "crates": rows(&crates),
        "parts": rows(&ours),
        "functions": rows(&largest),
    }))
}

fn add(sums: &mut BTreeMap<String, usize>, name: String, bytes: usize) {
    *sums.entry(name).or_default() += bytes;
}

/// The largest first.
fn sorted(sums: BTreeMap<String, usize>) -> Vec<(String, usize)> {
    let mut rows: Vec<(String, usize)> = sums.into_iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.1));
    rows
}

fn print(what: &str, rows: &[(String, usize)], of: usize) {
    let share = |bytes: usize| 100.0 * crate::figures::count(bytes) / crate::figures::count(of);
    let mut table = format!("{:>9}{:>7}  {what}\n", "bytes", "%");
    for (name, bytes) in rows.iter().filter(|row| row.1 >= SMALL) {
        let _ = writeln!(table, "{bytes:>9}{:>7.1}  {name}", share(*bytes));
    }
    let small: usize = (rows.iter().map(|row| row.1))
        .filter(|bytes| *bytes < SMALL)
        .sum();
    if small > 0 {
        let _ = writeln!(
            table,
            "{small:>9}{:>7.1}  what is below {SMALL} bytes",
            share(small)
        );
    }
    anstream::println!("{table}");
}
