//! The log keeps to `tests/log.schema.json`: the houses read every line of every story by it, and here stands what only
//! shows when it is looked for.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use jsonschema::Validator;
use now_serving::config::DEVELOPMENT;
use now_serving::telemetry::log::{LONGEST_LINE, SCHEMA};
use serde_json::Value;

static RULES: LazyLock<Validator> = LazyLock::new(|| {
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&schema()).unwrap()
});

pub(crate) fn file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

pub(crate) fn schema() -> Value {
    serde_json::from_str(&file("tests/log.schema.json")).unwrap()
}

/// A line as its reader gets it; what is wrong with it fails the story.
pub(crate) fn held_to_schema(line: &str) -> Value {
    let begin = format!(r#"{{"schema":{SCHEMA},"#);
    assert!(line.starts_with(&begin), "{line}");
    assert!(line.len() <= LONGEST_LINE, "{} bytes: {line}", line.len());
    assert!(!line.contains(DEVELOPMENT), "a secret is in {line}");
    let read = serde_json::from_str(line).unwrap();
    // To say what is wrong takes several times as long as to see that nothing is.
    assert!(RULES.is_valid(&read), "{:?} in {line}", wrong(&read));
    read
}

pub(crate) fn wrong(line: &Value) -> Vec<String> {
    RULES
        .iter_errors(line)
        .map(|error| error.to_string())
        .collect()
}
