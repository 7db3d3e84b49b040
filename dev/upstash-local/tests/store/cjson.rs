//! `cjson` in scripts: what it writes, takes and refuses.

mod random;

use serde_json::{Value as Json, json};
use upstash_local::Store;

use crate::{TOKEN, expect, on_both_engines, post};

on_both_engines!(
    an_empty_list_comes_back_as_an_object,
    a_number_above_14_digits_is_rounded_and_no_integer_to_serde,
    a_table_keyed_by_minutes_is_too_sparse,
    a_slash_is_escaped,
    the_order_of_keys_is_none,
    values_are_encoded_as_lua_cjson_does,
    what_has_no_json_is_refused,
    texts_are_decoded_as_lua_cjson_does,
    broken_texts_are_refused,
    null_is_one_value,
    the_library_has_these_names_and_settings,
    the_library_is_read_only,
);

fn eval(source: &str) -> Json {
    json!(["EVAL", source, 0])
}

/// What `cjson.encode` gives for each expression.
fn expect_encoded(store: &Store, cases: &[(&str, &str)]) -> Result<(), String> {
    for (expression, text) in cases {
        let script = eval(&format!("return cjson.encode({expression})"));
        expect(store, &[(script, json!(text))])?;
    }
    Ok(())
}

/// What a script ends with, without the place in the script, which both engines add.
fn expect_refused(store: &Store, cases: &[(&str, &str)]) -> Result<(), String> {
    for (expression, words) in cases {
        let (status, answer) = post(store, &eval(&format!("return {expression}")))?;
        let error = answer.get("error").and_then(Json::as_str);
        let words = format!("ERR user_script:1: {words} script: ");
        let alike = error.is_some_and(|error| error.starts_with(&words));
        assert!(
            status == 400 && alike,
            "{expression}: {answer}, not {words}"
        );
    }
    Ok(())
}

fn an_empty_list_comes_back_as_an_object(store: &Store) -> Result<(), String> {
    expect_encoded(
        store,
        &[
            ("{}", "{}"),
            ("cjson.decode('[]')", "{}"),
            (r#"cjson.decode('[[],{"a":[]}]')"#, r#"[{},{"a":{}}]"#),
        ],
    )
}

fn a_number_above_14_digits_is_rounded_and_no_integer_to_serde(
    store: &Store,
) -> Result<(), String> {
    expect_encoded(
        store,
        &[
            ("99999999999999", "99999999999999"),
            ("-99999999999999", "-99999999999999"),
            ("100000000000000", "1e+14"),
            ("123456789012345", "1.2345678901234e+14"),
            ("999999999999999", "1e+15"),
            ("2^53", "9.007199254741e+15"),
            ("cjson.decode('1764000000000123')", "1.7640000000001e+15"),
        ],
    )?;
    assert!(serde_json::from_str::<u64>("1e+14").is_err());
    Ok(())
}

fn a_table_keyed_by_minutes_is_too_sparse(store: &Store) -> Result<(), String> {
    let sparse = "Cannot serialise table: excessively sparse array";
    expect_refused(
        store,
        &[
            ("cjson.encode({[29400000] = 1})", sparse),
            ("cjson.encode({[29400000] = 1, [29400001] = 2})", sparse),
            ("cjson.encode({rate = {[11] = 1}})", sparse),
            ("cjson.encode({1, 2, 3, 4, 5, [13] = 6})", sparse),
        ],
    )?;
    expect_encoded(
        store,
        &[
            (
                "{[10] = 1}",
                "[null,null,null,null,null,null,null,null,null,1]",
            ),
            (
                "{1, 2, 3, 4, 5, [12] = 6}",
                "[1,2,3,4,5,null,null,null,null,null,null,6]",
            ),
            (r#"{["29400000"] = 1}"#, r#"{"29400000":1}"#),
        ],
    )
}

fn a_slash_is_escaped(store: &Store) -> Result<(), String> {
    expect_encoded(
        store,
        &[
            ("'/a/b'", r#""\/a\/b""#),
            ("{['/'] = '/'}", r#"{"\/":"\/"}"#),
            ("cjson.decode([[\"\\/ /\"]])", r#""\/ \/""#),
        ],
    )
}

fn the_order_of_keys_is_none(store: &Store) -> Result<(), String> {
    let letters = "a b c d e f g h i j k l m n o p".split(' ');
    let written: Vec<String> = letters.map(|letter| format!("\"{letter}\":1")).collect();
    let written = format!("{{{}}}", written.join(","));
    let script = format!("return cjson.encode(cjson.decode('{written}'))");
    let (_, answer) = post(store, &eval(&script))?;
    let text = answer.get("result").and_then(Json::as_str).unwrap_or("");
    let parsed = |text| serde_json::from_str::<Json>(text).map_err(|error| error.to_string());
    assert_ne!(text, written);
    assert_eq!(parsed(text)?, parsed(&written)?);
    Ok(())
}

fn values_are_encoded_as_lua_cjson_does(store: &Store) -> Result<(), String> {
    expect_encoded(
        store,
        &[
            ("nil", "null"),
            ("cjson.null", "null"),
            ("true", "true"),
            ("false", "false"),
            ("0", "0"),
            ("-0", "-0"),
            ("3.0", "3"),
            ("0.1", "0.1"),
            ("1/3", "0.33333333333333"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1e-310", "1e-310"),
            ("1e300", "1e+300"),
            ("99999999999999.5", "1e+14"),
            ("''", r#""""#),
            ("'\\\\ \" \\b\\f\\n\\r\\t'", r#""\\ \" \b\f\n\r\t""#),
            ("'\\0\\1\\31\\127'", r#""\u0000\u0001\u001f\u007f""#),
            ("'é 中 😀'", r#""é 中 😀""#),
            (
                "{1, 'a', {true}, {b = false}}",
                r#"[1,"a",[true],{"b":false}]"#,
            ),
            ("{1, nil, 3}", "[1,null,3]"),
            ("{[1.5] = 1}", r#"{"1.5":1}"#),
            ("{[0] = 1}", r#"{"0":1}"#),
            ("{[-1] = 1}", r#"{"-1":1}"#),
            ("{['é'] = 1}", r#"{"é":1}"#),
            ("setmetatable({}, {__index = {1, 2}})", "{}"),
        ],
    )?;
    // What is no UTF-8 is passed on, which a reply cannot show.
    let bytes = r#"return cjson.encode({['\255'] = '\128\195'}) == '{"\255":"\128\195"}'"#;
    let deep = "
        local array, object = {}, {}
        for i = 1, 999 do array, object = {array}, {a = object} end
        return {#cjson.encode(array), #cjson.encode(object)}";
    let lengths = json!([2000, 5996]);
    expect(store, &[(eval(bytes), json!(1)), (eval(deep), lengths)])
}

fn what_has_no_json_is_refused(store: &Store) -> Result<(), String> {
    let key = "table key must be a number or string";
    let deep = "local t = {} for i = 1, 1000 do t = {t} end";
    let endless = "local t = {} t[1] = t";
    let number = "Cannot serialise number: must not be NaN or Inf";
    let one = "(expected 1 argument)";
    expect_refused(
        store,
        &[
            ("cjson.encode(0/0)", number),
            ("cjson.encode({1/0})", number),
            ("cjson.encode({a = -1/0})", number),
            (
                "cjson.encode(function() end)",
                "Cannot serialise function: type not supported",
            ),
            (
                "cjson.encode({a = {type}})",
                "Cannot serialise function: type not supported",
            ),
            (
                "cjson.encode({[true] = 1})",
                &format!("Cannot serialise boolean: {key}"),
            ),
            (
                "cjson.encode({[{}] = 1})",
                &format!("Cannot serialise table: {key}"),
            ),
            (
                "cjson.encode({[cjson.null] = 1})",
                &format!("Cannot serialise userdata: {key}"),
            ),
            (
                &format!("(function() {deep} return cjson.encode(t) end)()"),
                "Cannot serialise, excessive nesting (1001)",
            ),
            (
                &format!("(function() {endless} return cjson.encode(t) end)()"),
                "Cannot serialise, excessive nesting (1001)",
            ),
            (
                "cjson.encode()",
                &format!("bad argument #1 to 'encode' {one}"),
            ),
            (
                "cjson.encode(1, 2)",
                &format!("bad argument #1 to 'encode' {one}"),
            ),
        ],
    )?;
    let caught = "return {select(2, pcall(cjson.encode, 0/0)), select(2, pcall(cjson.decode))}";
    let words = json!([number, format!("bad argument #1 to '?' {one}")]);
    expect(store, &[(eval(caught), words)])
}

/// What a script makes of a decoded value: every type is told from every other, and every bit of a number is seen.
const SHOW: &str = "
    local function hex(text)
      return (text:gsub('.', function(c) return string.format('%02x', c:byte()) end))
    end
    local function show(value)
      if value == cjson.null then return 'null' end
      if type(value) == 'number' then return string.format('%.17g', value) end
      if type(value) == 'string' then return \"'\" .. hex(value) .. \"'\" end
      if type(value) ~= 'table' then return tostring(value) end
      local parts = {}
      for k, v in pairs(value) do parts[#parts + 1] = show(k) .. '=' .. show(v) end
      table.sort(parts)
      return '{' .. table.concat(parts, ' ') .. '}'
    end
    local function decoded(text)
      local ok, value = pcall(cjson.decode, text)
      return ok and show(value) or 'refused: ' .. value
    end
";

fn texts_are_decoded_as_lua_cjson_does(store: &Store) -> Result<(), String> {
    let cases = [
        ("null", "null"),
        (" true\t\n\r", "true"),
        ("[false]", "{1=false}"),
        ("{}", "{}"),
        ("[]", "{}"),
        (r#"{"a":1,"a":2}"#, "{'61'=2}"),
        ("[1,null,[2]]", "{1=1 2=null 3={1=2}}"),
        ("-0", "-0"),
        ("0.1", "0.10000000000000001"),
        ("1e400", "inf"),
        ("12345678901234567890", "1.2345678901234567e+19"),
        ("1.", "1"),
        ("007", "7"),
        ("+1", "1"),
        ("0x1F", "31"),
        ("0x1p-1", "0.5"),
        ("-Infinity", "-inf"),
        ("NaN", "nan"),
        (r#""\u00e9\u4e2d\ud83d\ude00\/""#, "'c3a9e4b8adf09f98802f'"),
        (r#""\u0000\b\f\n\r\t\\\"""#, "'00080c0a0d095c22'"),
    ];
    for (text, shown) in cases {
        let script = format!("{SHOW} return decoded(ARGV[1])");
        let command = json!(["EVAL", script, 0, text]);
        expect(store, &[(command, json!(shown))])?;
    }
    let numbers = "return {cjson.decode(12), cjson.decode(-0.5) * 2}";
    let bytes = "return cjson.decode('\"\\128\\1\\255\"') == '\\128\\1\\255'";
    let deep = "return type(cjson.decode(('['):rep(1000) .. (']'):rep(1000)))";
    expect(
        store,
        &[
            (eval(numbers), json!([12, -1])),
            (eval(bytes), json!(1)),
            (eval(deep), json!("table")),
        ],
    )
}

fn broken_texts_are_refused(store: &Store) -> Result<(), String> {
    let cases = [
        ("", "Expected value but found T_END at character 1"),
        ("x", "Expected value but found invalid token at character 1"),
        (
            " tru",
            "Expected value but found invalid token at character 2",
        ),
        (
            "-",
            "Expected value but found invalid number at character 1",
        ),
        ("1 2", "Expected the end but found T_NUMBER at character 3"),
        ("[]]", "Expected the end but found T_ARR_END at character 3"),
        ("[1,]", "Expected value but found T_ARR_END at character 4"),
        (
            "[1 2]",
            "Expected comma or array end but found T_NUMBER at character 4",
        ),
        (
            "{1:2}",
            "Expected object key string but found T_NUMBER at character 2",
        ),
        (
            r#"{"a",2}"#,
            "Expected colon but found T_COMMA at character 5",
        ),
        (
            r#"{"a":2"#,
            "Expected comma or object end but found T_END at character 7",
        ),
        (
            r#"["ab"#,
            "Expected value but found unexpected end of string at character 5",
        ),
        (
            r#""a\x""#,
            "Expected value but found invalid escape code at character 3",
        ),
        (
            r#""\udc00\ud800""#,
            "Expected value but found invalid unicode escape code at character 2",
        ),
    ];
    for (text, words) in cases {
        expect_refused(store, &[(&format!("cjson.decode([==[{text}]==])"), words)])?;
    }
    let wide = "JSON parser does not support UTF-16 or UTF-32";
    expect_refused(
        store,
        &[
            ("cjson.decode('1\\0')", wide),
            (
                "cjson.decode('[1\\0]')",
                "Expected comma or array end but found T_END at character 3",
            ),
            (
                "cjson.decode(('['):rep(1001))",
                "Found too many nested data structures (1001) at character 1001",
            ),
            (
                "cjson.decode({})",
                "bad argument #1 to 'decode' (string expected, got table)",
            ),
            (
                "cjson.decode(nil)",
                "bad argument #1 to 'decode' (string expected, got nil)",
            ),
            (
                "cjson.decode()",
                "bad argument #1 to 'decode' (expected 1 argument)",
            ),
        ],
    )
}

fn null_is_one_value(store: &Store) -> Result<(), String> {
    let equal = "return cjson.decode('[null]')[1] == cjson.null and cjson.null ~= nil";
    let raised = "local ok, e = pcall(error, cjson.null) return e == cjson.null";
    expect(
        store,
        &[
            (eval(equal), json!(1)),
            (eval(raised), json!(1)),
            (eval("return type(cjson.null)"), json!("userdata")),
            (eval("return {1, cjson.null, 2}"), json!([1, null, 2])),
        ],
    )?;
    let (_, answer) = post(store, &eval("error(cjson.null)"))?;
    let error = answer.get("error").and_then(Json::as_str).unwrap_or("");
    assert!(error.starts_with("ERR userdata: (nil) script: "), "{error}");
    Ok(())
}

/// Every name in the table of a real Redis 7.
const NAMES: [&str; 13] = [
    "_NAME",
    "_VERSION",
    "decode",
    "decode_invalid_numbers",
    "decode_max_depth",
    "encode",
    "encode_invalid_numbers",
    "encode_keep_buffer",
    "encode_max_depth",
    "encode_number_precision",
    "encode_sparse_array",
    "new",
    "null",
];

fn the_library_has_these_names_and_settings(store: &Store) -> Result<(), String> {
    for name in NAMES {
        let found = eval(&format!("return type(cjson.{name}) ~= 'nil'"));
        expect(store, &[(found, json!(1))])?;
    }
    // The table that `new` gives is as it is, the protected one may be behind another.
    let all = "
        local names = {}
        for name in pairs(cjson.new()) do names[#names + 1] = name end
        table.sort(names)
        return names";
    let settings = "
        return cjson.encode({
          cjson.encode_max_depth(), cjson.decode_max_depth(), cjson.encode_keep_buffer(),
          cjson.encode_invalid_numbers(), cjson.decode_invalid_numbers(), cjson.encode_number_precision(),
          cjson.encode_sparse_array()})";
    let shown = "[1000,1000,true,false,true,14,false,2,10]";
    expect(
        store,
        &[
            (eval(all), json!(NAMES)),
            (eval(settings), json!(shown)),
            (
                eval("return {cjson._NAME, cjson._VERSION, tostring(cjson.nothing)}"),
                json!(["cjson", "2.1.0", "nil"]),
            ),
        ],
    )
}

fn the_library_is_read_only(store: &Store) -> Result<(), String> {
    for write in ["cjson.x = 1", "cjson.encode = 1", "cjson.null = 1"] {
        let script = format!("(function() {write} end)()");
        expect_refused(store, &[(&script, "Attempt to modify a readonly table")])?;
    }
    Ok(())
}

#[test]
fn the_embedded_engine_changes_no_setting() -> Result<(), String> {
    let store = Store::embedded(TOKEN)?;
    expect_refused(
        &store,
        &[(
            "cjson.encode_number_precision(3)",
            "cjson.encode_number_precision cannot be changed in this store",
        )],
    )
}

/// Redis on one processor writes an object here, on another it refuses.
#[test]
fn the_embedded_engine_refuses_a_table_keyed_by_milliseconds() -> Result<(), String> {
    let store = Store::embedded(TOKEN)?;
    expect_refused(
        &store,
        &[(
            "cjson.encode({[1764000000000] = 1})",
            "Cannot serialise table: excessively sparse array",
        )],
    )
}
