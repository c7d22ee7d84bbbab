use std::{fs, path::PathBuf};

use toml::{Table, Value};

use super::case_request::CaseRequest;

/// Group of cases: one file.
pub struct CaseFile {
    /// Name without folder and extension.
    pub name: String,
    pub(super) cases: Vec<Case>,
}

/// Case of one hazard: requests in sequence.
pub(super) struct Case {
    pub(super) id: String,
    /// Whether the case runs on a separate server.
    pub(super) needs_own_server: bool,
    pub(super) requests: Vec<CaseRequest>,
}

/// Effects of requests on the stored rows, by name.
pub(super) struct Effects(Table);

/// Returns the names of all groups.
///
/// # Panics
///
/// If the folder cannot be read.
pub fn files() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder of the cases");
    let names = entries.map(|it| it.expect("a file").file_name().into_string().expect("a UTF-8 name"));
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
    /// If the file cannot be read or parsed.
    pub fn read(name: &str) -> Self {
        let table = read_table(name);
        let default = table.get("default").and_then(Value::as_table).cloned().unwrap_or_default();
        let cases = table.get("case").and_then(Value::as_array).expect("a file has cases");
        let cases = cases.iter().map(|it| Case::read(it.as_table().expect("a case is a table"), &default));
        Self { name: name.to_owned(), cases: cases.collect() }
    }

    /// Identifiers of the cases.
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
        assert!(text(take("why")).is_some_and(|it| !it.is_empty()), "{id} states the reason");
        let needs_own_server = take("alone").is_some_and(|it| it.as_bool() == Some(true));
        let requests = take("try").and_then(|it| it.as_array().cloned()).unwrap_or_else(|| vec![Table::new().into()]);
        let common = merge(default, &common);
        let requests = requests.iter().map(|it| {
            let table = merge(&common, it.as_table().expect("a try is a table"));
            Value::from(table).try_into().unwrap_or_else(|error| panic!("{id}: {error}"))
        });
        Self { requests: requests.collect(), id, needs_own_server }
    }
}

impl Effects {
    pub(super) fn read() -> Self {
        Self(read_table("effects"))
    }

    /// Returns the number of rows that the effect adds to the table.
    pub(super) fn growth(&self, effect: &str, table: &str) -> i64 {
        let tables = self.0.get(effect).and_then(Value::as_table);
        let tables = tables.unwrap_or_else(|| panic!("unknown effect {effect}"));
        tables.get(table).map_or(0, |it| it.as_integer().expect("a number of rows"))
    }
}

fn folder() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/badinputs").into()
}

/// Reads a file of the folder.
pub(super) fn read_text(name: &str) -> String {
    let path = folder().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read_table(name: &str) -> Table {
    read_text(&format!("{name}.toml")).parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Merges `overrides` into `base`: tables are merged, lists are appended, other values are replaced.
fn merge(base: &Table, overrides: &Table) -> Table {
    let mut merged = base.clone();
    for (name, value) in overrides {
        let value = match (merged.get(name), value) {
            (Some(Value::Table(base)), Value::Table(overrides)) => merge(base, overrides).into(),
            (Some(Value::Array(first)), Value::Array(second)) => [first.as_slice(), second].concat().into(),
            (_, value) => value.clone(),
        };
        merged.insert(name.clone(), value);
    }
    merged
}
