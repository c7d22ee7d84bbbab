//! Rust files as syntax trees.

use syn::{Attribute, File, ItemMod, Meta};

use crate::workspace::{members, rust_files};

/// Parses every Rust file of the workspace.
pub(crate) fn every_file() -> impl Iterator<Item = (String, File)> {
    let files = members().into_iter().flat_map(|member| rust_files(&member));
    files.map(|(path, text)| {
        let file = parse(&path, &text);
        (path, file)
    })
}

/// Parses every Rust file below `src` of a member.
pub(crate) fn sources_of(member: &str) -> Vec<(String, File)> {
    let files = rust_files(&format!("{member}/src")).into_iter();
    files
        .map(|(path, text)| {
            let file = parse(&path, &text);
            (path, file)
        })
        .collect()
}

fn parse(path: &str, text: &str) -> File {
    syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Whether a module is compiled for tests only.
pub(crate) fn is_test_module(module: &ItemMod) -> bool {
    module.attrs.iter().any(is_cfg_test)
}

/// Whether an attribute is `#[cfg(test)]`.
pub(crate) fn is_cfg_test(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    list.path.is_ident("cfg") && list.tokens.to_string() == "test"
}
