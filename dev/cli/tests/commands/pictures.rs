//! `cargo dev pictures`, for one picture.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::process::Command;

use png::Decoder;

#[test]
fn a_picture_is_taken_in_the_size_of_a_phone_and_something_is_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_dev"))
        .args(["pictures", "--only", "waiting-dark", "--out"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let file = BufReader::new(File::open(folder.path().join("waiting-dark.png")).unwrap());
    let mut reader = Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (780, 1688));
    let colours: BTreeSet<&[u8]> = pixels.chunks_exact(3).collect();
    assert!(colours.len() > 50, "{}", colours.len());
}

#[test]
fn a_picture_that_there_is_not_is_named_with_those_there_are() {
    let output = Command::new(env!("CARGO_BIN_EXE_dev"))
        .args(["pictures", "--only", "portrait"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(
        said.contains("waiting-light") && said.contains("recording"),
        "{said}"
    );
}
