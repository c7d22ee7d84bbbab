//! Modules of a crate and the imports between their files.

use std::collections::{BTreeMap, BTreeSet};

use syn::{
    Item, ItemMod, ItemUse, Path, UseTree, Visibility,
    visit::{self, Visit},
};

use crate::syntax::{is_cfg_test, is_test_module};

/// Path of a module below the root of its crate.
type ModulePath = Vec<String>;

/// Modules of a crate that are files of their own.
pub(crate) struct Modules<'a>(BTreeMap<ModulePath, Module<'a>>);

struct Module<'a> {
    file: &'a str,
    syntax: &'a syn::File,
    /// Items that the file defines.
    items: BTreeSet<String>,
    /// Imported names with their paths.
    imports: Vec<(String, Vec<String>)>,
    /// Paths of glob imports.
    globs: Vec<Vec<String>>,
}

impl<'a> Modules<'a> {
    /// Reads the files below `src`, with their paths from the root of the workspace.
    pub(crate) fn of(files: &'a [(String, syn::File)]) -> Self {
        Self(files.iter().map(|(path, file)| (module_path(path), Module::of(path, file))).collect())
    }

    /// Returns for each file the files that define its imports. Re-exports lead to the file that defines the item.
    pub(crate) fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let of = |(path, module): (&ModulePath, &Module<'_>)| {
            let mut used = Used::default();
            used.visit_file(module.syntax);
            let files = used.0.iter().filter_map(|used| self.definition(path, used, 0));
            (module.file.to_owned(), files.filter(|file| *file != module.file).map(str::to_owned).collect())
        };
        self.0.iter().map(of).collect()
    }

    /// Returns the file that defines the item at `path`, as the module `from` writes the path.
    fn definition(&self, from: &[String], path: &[String], depth: u8) -> Option<&'a str> {
        let mut module: ModulePath = from.to_vec();
        for (index, segment) in path.iter().enumerate() {
            match segment.as_str() {
                "crate" => module.clear(),
                "self" => {}
                "super" => drop(module.pop()),
                name => {
                    let child: ModulePath = module.iter().cloned().chain([name.to_owned()]).collect();
                    if !self.0.contains_key(&child) {
                        return self.item(&module, &path[index..], depth);
                    }
                    module = child;
                }
            }
        }
        self.0.get(&module).map(|found| found.file)
    }

    /// Returns the file that defines the first name of `path` as an item of `module`.
    fn item(&self, module: &ModulePath, path: &[String], depth: u8) -> Option<&'a str> {
        let (name, rest) = path.split_first()?;
        let found = self.0.get(module)?;
        if found.items.contains(name) {
            return Some(found.file);
        }
        if depth > 8 {
            return None;
        }
        let imported = found.imports.iter().find(|(known, _)| known == name);
        if let Some((_, target)) = imported {
            return self.definition(module, &[target, rest].concat(), depth + 1);
        }
        found.globs.iter().find_map(|glob| self.definition(module, &[glob, path].concat(), depth + 1))
    }
}

impl<'a> Module<'a> {
    fn of(file: &'a str, syntax: &'a syn::File) -> Self {
        let mut module = Self { file, syntax, items: BTreeSet::new(), imports: Vec::new(), globs: Vec::new() };
        for item in &syntax.items {
            if let Item::Use(import) = item {
                flatten(&import.tree, &mut Vec::new(), &mut |name, path| match name {
                    Some(name) => module.imports.push((name, path)),
                    None => module.globs.push(path),
                });
            } else if let Some(name) = name_of(item) {
                module.items.insert(name);
            }
        }
        module
    }
}

/// Returns `["a", "b"]` for `crates/x/src/a/b.rs` and for `crates/x/src/a/b/mod.rs`.
fn module_path(file: &str) -> ModulePath {
    let (_, path) = file.split_once("/src/").expect("a source file");
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').filter(|segment| !matches!(*segment, "lib" | "main")).map(str::to_owned).collect()
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Mod(item) if item.content.is_some() => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Calls `found` with each imported name and its path; without a name for `*`.
fn flatten(tree: &UseTree, path: &mut Vec<String>, found: &mut impl FnMut(Option<String>, Vec<String>)) {
    let with = |name: &syn::Ident| path.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
    match tree {
        UseTree::Path(step) => {
            path.push(step.ident.to_string());
            flatten(&step.tree, path, found);
            path.pop();
        }
        UseTree::Name(name) if name.ident == "self" => found(path.last().cloned(), path.clone()),
        UseTree::Name(name) => found(Some(name.ident.to_string()), with(&name.ident)),
        UseTree::Rename(rename) => found(Some(rename.rename.to_string()), with(&rename.ident)),
        UseTree::Glob(_) => found(None, path.clone()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, found)),
    }
}

/// Paths that a file uses itself. Re-exports are not uses, and tests may use any file.
#[derive(Default)]
struct Used(Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Used {
    fn visit_item(&mut self, item: &'ast Item) {
        let is_for_tests = matches!(item, Item::Fn(function) if function.attrs.iter().any(is_cfg_test));
        if !is_for_tests {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test_module(module) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        if matches!(import.vis, Visibility::Inherited) && !import.attrs.iter().any(is_cfg_test) {
            flatten(&import.tree, &mut Vec::new(), &mut |_, path| self.0.push(path));
        }
    }

    /// `pub(in path)` names a module, but imports none of its items.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.len() > 1 {
            self.0.push(segments);
        }
        visit::visit_path(self, path);
    }
}
