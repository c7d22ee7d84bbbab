//! The name of a public type exists once in the workspace, so that a search finds one definition.

use std::collections::BTreeMap;

use syn::{Ident, Item, Visibility};

use crate::{
    syntax::{is_test_module, sources_of},
    workspace::members,
};

/// Names that each crate may declare.
const EXEMPT: &[&str] = &["Error"];

#[test]
fn name_of_a_public_type_is_unique_in_the_workspace() {
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, file) in members().iter().flat_map(|member| sources_of(member)) {
        for name in public_types(&file.items) {
            declared.entry(name).or_default().push(path.clone());
        }
    }
    declared.retain(|name, paths| paths.len() > 1 && !EXEMPT.contains(&name.as_str()));

    assert!(declared.is_empty(), "public types share their name: {declared:#?}");
}

/// Returns the names of the public types, traits and aliases of a module and of the modules in the same file.
fn public_types(items: &[Item]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items {
        if let Item::Mod(module) = item
            && !is_test_module(module)
            && let Some((_, items)) = &module.content
        {
            names.extend(public_types(items));
        } else if let Some((Visibility::Public(_), name)) = type_of(item) {
            names.push(name.to_string());
        }
    }
    names
}

fn type_of(item: &Item) -> Option<(&Visibility, &Ident)> {
    match item {
        Item::Enum(item) => Some((&item.vis, &item.ident)),
        Item::Struct(item) => Some((&item.vis, &item.ident)),
        Item::Trait(item) => Some((&item.vis, &item.ident)),
        Item::Type(item) => Some((&item.vis, &item.ident)),
        Item::Union(item) => Some((&item.vis, &item.ident)),
        _ => None,
    }
}

#[test]
fn private_types_and_types_of_tests_do_not_count() {
    let text = "pub struct A; pub(crate) struct B; enum C {} pub enum D {} pub trait E {} \
                mod inner { pub struct F; } #[cfg(test)] mod tests { pub struct G; }";

    assert_eq!(public_types(&syn::parse_file(text).unwrap().items), ["A", "D", "E", "F"]);
}
