//! Words that have no place here.

use crate::{
    code::{code_of, is_word},
    workspace::{members, rust_files},
};

/// In no file at all, each with what to do instead. Comments and texts are not read, so this list may stand here.
const NOWHERE: &[(&str, &str)] = &[
    ("todo!(", "write it, or leave it out"),
    ("unimplemented!(", "write it, or leave it out"),
    ("#[ignore", "a test runs or is deleted; one that cannot run fails and says why"),
    ("[allow(", "`#[expect(lint, reason = …)]` ends when its reason does"),
];

/// Where money passes, it is a whole number or a decimal.
const WITHOUT_FLOAT: &[&str] = &["crates/app", "crates/dgii", "crates/domain", "crates/storage", "crates/wire"];

/// A decision must come out the same each time that it is simulated: no clock of its own, no threads, and no map whose
/// order is random.
const WITHOUT_CHANCE: &[&str] = &["crates/app/src", "crates/domain/src"];
const CHANCE: &[&str] = &["HashMap", "HashSet", "Instant", "SystemTime", "RandomState", "thread"];

#[test]
fn nothing_is_left_undone_or_switched_off() {
    for (path, text) in members().iter().flat_map(|member| rust_files(member)) {
        for (word, instead) in NOWHERE {
            assert_without(&path, &text, word, instead);
        }
    }
}

#[test]
fn money_is_never_a_float() {
    for (path, text) in WITHOUT_FLOAT.iter().flat_map(|folder| rust_files(folder)) {
        for word in ["f32", "f64"] {
            assert_without(&path, &text, word, "use minor units or a decimal");
        }
    }
}

#[test]
fn decisions_leave_nothing_to_chance() {
    for (path, text) in WITHOUT_CHANCE.iter().flat_map(|folder| rust_files(folder)) {
        for word in CHANCE {
            assert_without(&path, &text, word, "take it as an argument, or use a BTreeMap");
        }
    }
}

#[track_caller]
fn assert_without(path: &str, text: &str, word: &str, instead: &str) {
    if let Some(line) = line_with(text, word) {
        panic!("{path}:{line}: `{word}` has no place here: {instead}");
    }
}

/// The first line on which `word` stands as code and is not part of a longer name.
fn line_with(text: &str, word: &str) -> Option<usize> {
    code_of(text).lines().position(|line| stands_in(line, word)).map(|index| index + 1)
}

fn stands_in(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(start, _)| {
        let bytes = line.as_bytes();
        let end = start + word.len();
        // A digit before it is not part of its name: `1f64` is a float.
        let before =
            start > 0 && is_word(bytes[start]) && is_word(bytes[start - 1]) && !bytes[start - 1].is_ascii_digit();
        let after = end < bytes.len() && is_word(bytes[end - 1]) && is_word(bytes[end]);
        !before && !after
    })
}

#[test]
fn a_word_counts_where_it_is_code_of_its_own() {
    assert_eq!(line_with("fn f() {\n    todo!()\n}", "todo!("), Some(2));
    assert_eq!(line_with("#![allow(dead_code)]", "[allow("), Some(1));
    assert_eq!(line_with("fn f(x: f64)", "f64"), Some(1));
    assert_eq!(line_with("let x = 1f64;", "f64"), Some(1));

    assert_eq!(line_with("// never an f64\nlet half64 = \"f64\";", "f64"), None);
    assert_eq!(line_with("disallow(x); my_todo!()", "todo!("), None);
}
