//! Circles of imports between the files of a crate. A file in a circle cannot be read without the others.

use std::collections::{BTreeMap, BTreeSet};

use crate::{modules::Modules, syntax::sources_of, workspace::members};

/// Files of each crate that are in a circle now. A payment and its split refer to each other, and so do the reader of a
/// request and its description, because one function serves both.
const ACCEPTED: &[(&str, usize)] = &[("crates/domain", 8), ("crates/wire", 2)];

#[test]
fn imports_between_files_have_no_circle() {
    let mut faults = Vec::new();
    for member in members() {
        let circles = circles(&Modules::of(&sources_of(&member)).imports());
        let accepted = ACCEPTED.iter().find(|(name, _)| *name == member).map_or(0, |(_, count)| *count);
        let count: usize = circles.iter().map(BTreeSet::len).sum();
        println!("{member}: {count} files in circles");
        if count > accepted {
            faults.push(format!("{member}: {count} files: {circles:#?}"));
        }
    }
    assert!(faults.is_empty(), "circles of imports:\n{}", faults.join("\n"));
}

/// Returns each set of files that import each other, directly or through others.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<BTreeSet<String>> {
    let reachable: BTreeMap<&String, BTreeSet<&String>> =
        imports.keys().map(|file| (file, reach(file, imports))).collect();
    let is_in_circle = |file: &&String| reachable[*file].contains(*file);
    let circle_of = |file: &String| {
        let own = &reachable[file];
        own.iter()
            .filter(|other| reachable.get(**other).is_some_and(|back| back.contains(file)))
            .map(|&other| other.clone())
            .collect()
    };
    imports.keys().filter(is_in_circle).map(circle_of).collect()
}

fn reach<'a>(file: &String, imports: &'a BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut queue: Vec<&String> = imports.get(file).into_iter().flatten().collect();
    while let Some(next) = queue.pop() {
        if reached.insert(next) {
            queue.extend(imports.get(next).into_iter().flatten());
        }
    }
    reached
}

#[test]
fn files_that_import_each_other_are_a_circle() {
    let file = |path: &str, text: &str| (path.to_owned(), syn::parse_file(text).unwrap());
    let files = [
        file("c/src/lib.rs", "mod a; mod b; mod c; pub use a::A; use c::C;"),
        file("c/src/a.rs", "use crate::b::B; pub struct A;"),
        file("c/src/b.rs", "pub struct B; fn f() -> crate::A { todo!() }"),
        // The facade of the crate re-exports `A`; this import leads to `a`, not to the root.
        file("c/src/c.rs", "use super::A; pub struct C; #[cfg(test)] mod tests { use crate::b::B; }"),
    ];

    let found = circles(&Modules::of(&files).imports());

    let circle = ["c/src/a.rs", "c/src/b.rs"].map(str::to_owned).into_iter().collect();
    assert_eq!(found, [circle].into());
}
