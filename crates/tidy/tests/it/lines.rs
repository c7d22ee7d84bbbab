//! Limits on the length of files and functions.

use syn::{
    Block, ImplItemFn, ItemFn, Signature, TraitItemFn,
    visit::{self, Visit},
};

use crate::{
    syntax::every_file,
    workspace::{members, rust_files},
};

/// Maximum length of a file.
const FILE: usize = 400;
/// First length of a function that is too long.
const FUNCTION: usize = 70;
/// Maximum of the median length of files.
const MEDIAN: usize = 120;

#[test]
fn files_are_short() {
    let mut lengths = Vec::new();
    for (path, text) in members().iter().flat_map(|member| rust_files(member)) {
        let length = text.lines().count();
        assert!(length <= FILE, "{path} has {length} lines; the maximum is {FILE}");
        lengths.push(length);
    }

    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];

    println!("{} files, median {median} lines, longest {}", lengths.len(), lengths[lengths.len() - 1]);
    assert!(median <= MEDIAN, "the median file has {median} lines; the maximum is {MEDIAN}");
}

#[test]
fn functions_are_short() {
    for (path, file) in every_file() {
        for Function { name, line, length } in functions(&file) {
            assert!(length < FUNCTION, "{path}:{line}: `{name}` has {length} lines; the maximum is {}", FUNCTION - 1);
        }
    }
}

#[derive(Debug, PartialEq)]
struct Function {
    name: String,
    line: usize,
    /// From the line of `fn` to the line of the last brace.
    length: usize,
}

/// Returns every function that has a body.
fn functions(file: &syn::File) -> Vec<Function> {
    let mut found = Functions(Vec::new());
    found.visit_file(file);
    found.0
}

struct Functions(Vec<Function>);

impl Functions {
    fn add(&mut self, signature: &Signature, body: &Block) {
        let line = signature.fn_token.span.start().line;
        let length = 1 + body.brace_token.span.close().end().line - line;
        self.0.push(Function { name: signature.ident.to_string(), line, length });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[test]
fn length_is_counted_from_fn_to_the_last_brace() {
    let text = "trait T {\n    fn declared(&self) -> [u8; 4];\n}\n\nfn short() {}\n\n/// Docs.\n\
                pub(crate) const fn long(of: fn(u8)) -> char {\n    if true {\n        '}'\n    } else {\n        '{'\n    }\n}\n";

    let found = functions(&syn::parse_file(text).unwrap());

    let function = |name: &str, line, length| Function { name: name.to_owned(), line, length };
    assert_eq!(found, [function("short", 5, 1), function("long", 8, 7)]);
}
