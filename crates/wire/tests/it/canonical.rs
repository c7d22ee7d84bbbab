use std::collections::BTreeMap;

use proptest::prelude::*;
use wire::canonical;

use crate::support::tree;

#[test]
fn different_spellings_have_the_same_canonical_bytes() {
    let plain = r#"{"a":"A/é","b":[1,{"c":null,"d":true}]}"#;
    let fancy = "\t{ \"b\" : [ 1 , { \"d\":true, \"c\" : null } ],\r\n \"\\u0061\":\"\\u0041\\/\\u00e9\" }\n";

    assert_eq!(canonical(&tree(plain), &[]), canonical(&tree(fancy), &[]));
    assert_eq!(canonical(&tree(plain), &[]), plain.as_bytes());
}

#[test]
fn only_required_escapes_are_written() {
    let body = tree(r#"{"a":"\" \\ \/ \u0008\u0009\u000A\u000c\u000D \u0000 \u001F \u007f \u2028 🍤"}"#);

    assert_eq!(
        String::from_utf8(canonical(&body, &[])).unwrap(),
        "{\"a\":\"\\\" \\\\ / \\b\\t\\n\\f\\r \\u0000 \\u001f \u{7f} \u{2028} 🍤\"}"
    );
}

/// Example of RFC 8785, 3.2.3, with other keys. By code points, the last two would be swapped.
#[test]
fn keys_are_sorted_by_utf_16_units() {
    let body = tree(r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#);

    let bytes = String::from_utf8(canonical(&body, &[])).unwrap();

    assert_eq!(bytes, "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}");
}

#[test]
fn every_integer_keeps_its_digits() {
    for number in [0, -1, 10, 9_007_199_254_740_993, i64::MAX, i64::MIN] {
        let text = format!(r#"{{"a":{number}}}"#);
        assert_eq!(canonical(&tree(&text), &[]), text.as_bytes());
    }
}

#[test]
fn an_absent_field_and_null_differ() {
    assert_ne!(canonical(&tree("{}"), &[]), canonical(&tree(r#"{"a":null}"#), &[]));
    assert_ne!(canonical(&tree(r#"{"card":null}"#), &["card"]), canonical(&tree("{}"), &["card"]));
}

#[test]
fn only_the_card_is_omitted_from_canonical_bytes() {
    let skip = ["card", "wallet"];
    let submission = |number: &str, part: u8| {
        canonical(&tree(&format!(r#"{{"card":{{"number":"{number}"}},"partOrdinal":{part}}}"#)), &skip)
    };

    let bytes = submission("4111111111111111", 1);
    assert!(!String::from_utf8(bytes.clone()).unwrap().contains("4111"));
    assert_eq!(bytes, submission("5555555555554444", 1));
    assert_ne!(bytes, submission("4111111111111111", 2));
    // Only at the top level: elsewhere the name has another meaning.
    let inner = |value: u8| canonical(&tree(&format!(r#"{{"a":{{"card":{value}}}}}"#)), &skip);
    assert_ne!(inner(1), inner(2));
}

#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Null,
    Bool(bool),
    Integer(i64),
    Text(String),
    List(Vec<Tree>),
    Fields(BTreeMap<String, Tree>),
}

/// Generates few different values, so that some bodies are equal, among them punctuation.
fn trees() -> impl Strategy<Value = Tree> {
    let text = || {
        proptest::sample::select(vec![
            "", "a", "b", "\"", "\\", ",", "\":", "}", "null", "1", "\n", "ñ", "\u{FB33}", "😀",
        ])
    };
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Bool),
        (-2_i64..12).prop_map(Tree::Integer),
        text().prop_map(|it| Tree::Text(it.to_owned())),
    ];
    let any_tree = leaf.prop_recursive(4, 24, 3, move |inner| {
        let fields = proptest::collection::btree_map(text().prop_map(str::to_owned), inner.clone(), 0..3);
        prop_oneof![proptest::collection::vec(inner, 0..3).prop_map(Tree::List), fields.prop_map(Tree::Fields)]
    });
    proptest::collection::btree_map(text().prop_map(str::to_owned), any_tree, 0..3).prop_map(Tree::Fields)
}

/// Returns one spelling of a tree. `chance` selects white space, order of fields and escapes.
fn spelled(tree: &Tree, chance: &mut u64) -> String {
    let mut draw = |below: u64| {
        *chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*chance >> 33) % below
    };
    let space = [" ", "", "\n", "\t "][usize::try_from(draw(4)).unwrap()];
    let is_escaped = draw(2) == 0;
    let is_reversed = draw(2) == 0;
    match tree {
        Tree::Null => format!("{space}null"),
        Tree::Bool(it) => format!("{it}{space}"),
        Tree::Integer(it) => format!("{space}{it}{space}"),
        Tree::Text(text) => quoted(text, is_escaped) + space,
        Tree::List(items) => {
            let items: Vec<String> = items.iter().map(|item| spelled(item, chance)).collect();
            format!("[{space}{}]", items.join(","))
        }
        Tree::Fields(fields) => {
            let spell = |(key, value): (&String, &Tree)| {
                format!("{}{space}:{}", quoted(key, is_escaped), spelled(value, chance))
            };
            let mut fields: Vec<String> = fields.iter().map(spell).collect();
            if is_reversed {
                fields.reverse();
            }
            format!("{{{}}}{space}", fields.join(","))
        }
    }
}

fn quoted(text: &str, is_escaped: bool) -> String {
    if is_escaped {
        let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
        format!("\"{units}\"")
    } else {
        serde_json::to_string(text).unwrap()
    }
}

proptest! {
    #[test]
    fn bodies_have_the_same_bytes_exactly_if_their_values_are_equal(
        one in trees(), other in trees(), mut chance in any::<u64>(),
    ) {
        let bytes = |it: &Tree, chance: &mut u64| canonical(&tree(&spelled(it, chance)), &[]);

        let first = bytes(&one, &mut chance);
        prop_assert_eq!(&first, &bytes(&one, &mut chance));
        prop_assert_eq!(first == bytes(&other, &mut chance), one == other);
    }
}
