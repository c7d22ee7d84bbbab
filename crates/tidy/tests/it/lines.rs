//! How long things may be: a file fits in the head, a function on the screen.

use crate::{
    code::{code_of, is_word},
    workspace::{members, rust_files},
};

/// No file is longer.
const FILE: usize = 400;
/// Every function is shorter.
const FUNCTION: usize = 70;
/// Half of the files are at most this long.
const MEDIAN: usize = 120;

#[test]
fn files_are_short() {
    let mut lengths = Vec::new();
    for (path, text) in members().iter().flat_map(|member| rust_files(member)) {
        let length = text.lines().count();
        assert!(length <= FILE, "{path} has {length} lines, and {FILE} are the most");
        lengths.push(length);
    }

    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];

    println!("{} files, median {median} lines, longest {}", lengths.len(), lengths[lengths.len() - 1]);
    assert!(median <= MEDIAN, "the median file has {median} lines, and {MEDIAN} are the most");
}

#[test]
fn functions_are_short() {
    for (path, text) in members().iter().flat_map(|member| rust_files(member)) {
        for Function { name, line, length } in functions(&text) {
            assert!(length < FUNCTION, "{path}:{line}: `{name}` has {length} lines, and {FUNCTION} are too many");
        }
    }
}

#[derive(Debug, PartialEq)]
struct Function<'a> {
    name: &'a str,
    line: usize,
    /// From the line of its `fn` to that of its last brace.
    length: usize,
}

/// Every function that has a body.
fn functions(text: &str) -> Vec<Function<'_>> {
    let code = code_of(text);
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    for (start, _) in code.match_indices("fn ") {
        let name_at = start + "fn ".len();
        let length = bytes[name_at..].iter().take_while(|&&byte| is_word(byte)).count();
        let inside_a_word = start > 0 && is_word(bytes[start - 1]);
        if inside_a_word || length == 0 {
            continue;
        }
        if let Some(end) = end_of_body(bytes, name_at + length) {
            let line = 1 + line_breaks(&bytes[..start]);
            let lines = 1 + line_breaks(&bytes[start..end]);
            found.push(Function { name: &text[name_at..name_at + length], line, length: lines });
        }
    }
    found
}

/// Where the braces that open after `at` are closed again; `None` for a declaration without body.
fn end_of_body(bytes: &[u8], at: usize) -> Option<usize> {
    let mut brackets = 0_usize;
    let mut braces = 0_usize;
    for (offset, byte) in bytes[at..].iter().enumerate() {
        match byte {
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets = brackets.saturating_sub(1),
            // The semicolon of `[u8; 4]` ends nothing.
            b';' if brackets == 0 && braces == 0 => return None,
            b'{' => braces += 1,
            b'}' if braces == 1 => return Some(at + offset),
            b'}' => braces = braces.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn line_breaks(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

#[test]
fn a_function_reaches_to_its_last_brace() {
    let text = "trait T {\n    fn declared(&self) -> [u8; 4];\n}\n\nfn short() {}\n\n\
                pub(crate) const fn long(of: fn(u8)) -> char {\n    if true {\n        '}'\n    } else {\n        '{'\n    }\n}\n";

    let found = functions(text);

    assert_eq!(found, [Function { name: "short", line: 5, length: 1 }, Function { name: "long", line: 7, length: 7 }]);
}

#[test]
fn a_function_of_seventy_lines_is_too_long() {
    let of_lines = |lines: usize| format!("fn it() {{\n{}}}\n", "    step();\n".repeat(lines - 2));

    assert_eq!(functions(&of_lines(70))[0].length, FUNCTION);
    assert!(functions(&of_lines(69))[0].length < FUNCTION);
}
