//! Makes the site of the documentation: `site ROOT OUT [REPOSITORY]`. `cargo dev site` runs it.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let made = match words.as_slice() {
        [root, out, address @ ..] => made(Path::new(root), Path::new(out), address.first()),
        _ => Err("This is `site ROOT OUT [REPOSITORY]`.".to_owned()),
    };
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Makes it, says where it is, and what of it leads nowhere.
fn made(root: &Path, out: &Path, address: Option<&String>) -> Result<(), String> {
    let address = address.cloned().or(site::repository(root)?);
    let unlinked = site::build(root, out, address.as_deref())?;
    if !unlinked.is_empty() {
        let names = Vec::from_iter(unlinked).join(", ");
        println!("Without the address of the repository these are no links: {names}.");
    }
    println!("{} is written.", out.join("index.html").display());
    let faults = site::links::faults(out)?.join("\n");
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}
