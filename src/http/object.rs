//! An object of JSON out of values by name, for pages and answers.
//!
//! `json!` puts the code that inserts into each place where it stands, and copies what is a value already.

use serde_json::{Map, Value};

/// An object as `json!` would write it, of values and what becomes one.
macro_rules! object {
    ({ $($name:literal: $value:expr),+ $(,)? }) => {
        $crate::http::object::named([$(($name, ::serde_json::Value::from($value))),+])
    };
}

pub(crate) use object;

/// An object of these values.
pub(crate) fn named<const MANY: usize>(values: [(&str, Value); MANY]) -> Value {
    inserted(&mut values.into_iter())
}

fn inserted(values: &mut dyn Iterator<Item = (&str, Value)>) -> Value {
    let mut object = Map::new();
    for (name, value) in values {
        object.insert(name.to_owned(), value);
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn an_object_is_as_json_would_write_it() {
        let (text, none) = ("a".to_owned(), None::<u64>);
        let inner = object!({ "yes": true, "three": 3_u64 });
        let outer = object!({ "text": text.as_str(), "none": none, "inner": inner, "rows": vec!["b", "c"] });
        let expected = json!({
            "text": text, "none": none, "inner": { "yes": true, "three": 3 }, "rows": ["b", "c"],
        });
        assert_eq!(outer, expected);
    }
}
