use std::{fs, path::PathBuf};

use toml::{Table, Value};

use super::exchange::Exchange;

/// A group of cases.
pub struct CaseFile {
    /// Its name, without folder and extension.
    pub name: String,
    pub(super) cases: Vec<Case>,
}

/// One hazard.
pub(super) struct Case {
    pub(super) id: String,
    /// Whether it has a world of its own.
    pub(super) is_alone: bool,
    pub(super) tries: Vec<Exchange>,
}

/// What happens to a world and to what is stored, by name.
pub(super) struct Effects(Table);

/// The names of all groups.
///
/// # Panics
///
/// The folder cannot be read.
pub fn files() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the cases are there");
    let names = entries.map(|it| it.expect("a file").file_name().into_string().expect("its name is text"));
    let mut names: Vec<String> = names.filter_map(|it| Some(it.strip_suffix(".toml")?.to_owned())).collect();
    names.retain(|it| it != "effects");
    names.sort();
    names
}

impl CaseFile {
    /// Reads a group.
    ///
    /// # Panics
    ///
    /// It cannot be read, or says something that nobody understands.
    pub fn read(name: &str) -> Self {
        let table = read(name);
        let default = table.get("default").and_then(Value::as_table).cloned().unwrap_or_default();
        let cases = table.get("case").and_then(Value::as_array).expect("a file has cases");
        let cases = cases.iter().map(|it| Case::read(it.as_table().expect("a case is a table"), &default));
        Self { name: name.to_owned(), cases: cases.collect() }
    }

    /// The identifiers of its cases.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(|it| it.id.as_str())
    }
}

impl Case {
    fn read(table: &Table, default: &Table) -> Self {
        let mut common = table.clone();
        let mut take = |name: &str| common.remove(name);
        let text = |it: Option<Value>| it.as_ref().and_then(Value::as_str).map(str::to_owned);
        let id = text(take("id")).expect("a case has an id");
        assert!(text(take("why")).is_some_and(|it| !it.is_empty()), "{id} says why");
        let is_alone = take("alone").is_some_and(|it| it.as_bool() == Some(true));
        let tries = take("try").and_then(|it| it.as_array().cloned()).unwrap_or_else(|| vec![Table::new().into()]);
        let common = merged(default, &common);
        let tries = tries.iter().map(|it| {
            let table = merged(&common, it.as_table().expect("a try is a table"));
            Value::from(table).try_into().unwrap_or_else(|error| panic!("{id}: {error}"))
        });
        Self { tries: tries.collect(), id, is_alone }
    }
}

impl Effects {
    pub(super) fn read() -> Self {
        Self(read("effects"))
    }

    /// By how many rows the table grows.
    pub(super) fn growth(&self, effect: &str, table: &str) -> i64 {
        let tables = self.0.get(effect).and_then(Value::as_table);
        let tables = tables.unwrap_or_else(|| panic!("there is no effect {effect}"));
        tables.get(table).map_or(0, |it| it.as_integer().expect("a number of rows"))
    }
}

fn folder() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/badinputs").into()
}

/// The text of a file of the folder.
pub(super) fn text_of(name: &str) -> String {
    let path = folder().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read(name: &str) -> Table {
    text_of(&format!("{name}.toml")).parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// `under` with what `over` says: tables are merged, lists are continued, everything else is replaced.
fn merged(under: &Table, over: &Table) -> Table {
    let mut all = under.clone();
    for (name, value) in over {
        let value = match (all.get(name), value) {
            (Some(Value::Table(under)), Value::Table(over)) => merged(under, over).into(),
            (Some(Value::Array(under)), Value::Array(over)) => [under.as_slice(), over].concat().into(),
            (_, value) => value.clone(),
        };
        all.insert(name.clone(), value);
    }
    all
}
