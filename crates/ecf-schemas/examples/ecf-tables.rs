//! `write FOLDER` writes the tables of `fixtures/schemas` from the official schemas in a folder. `compare FOLDER`
//! compares the tables with these schemas, and the verdicts of both on the same documents. Run by `cargo xtask
//! ecf-tables`.

#[path = "../tests/it/validation.rs"]
mod validation;

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use ecf_schemas::{SCHEMAS, Schema, SchemaName, official, tables, write_all};

use crate::validation::{altered, samples, verdicts};

type Done<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["write", folder] => write(Path::new(folder)),
        ["compare", folder] => compare(Path::new(folder)),
        _ => Err("write FOLDER or compare FOLDER is expected".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path) -> Done {
    for (file, text) in official_tables(folder)? {
        fs::write(own().join(file), &text)?;
        println!("{file}: checksum {:#010x}", crc32fast::hash(text.as_bytes()));
    }
    Ok(())
}

fn compare(folder: &Path) -> Done {
    for (file, official) in official_tables(folder)? {
        compare_table(file, &fs::read_to_string(own().join(file))?, &official)?;
    }
    println!("the tables are those of the official schemas");
    compare_verdicts(folder)
}

fn official_tables(folder: &Path) -> Done<Vec<(&'static str, String)>> {
    let read = |name: SchemaName| -> Done<(SchemaName, Schema)> {
        let xsd = fs::read_to_string(folder.join(name.file)).map_err(|error| format!("{}: {error}", name.file))?;
        Ok((name, official::read(&xsd).map_err(|error| format!("{}: {error}", name.file))?))
    };
    let schemas: Vec<_> = SCHEMAS.into_iter().map(read).collect::<Done<_>>()?;
    tables(&schemas).ok_or_else(|| "two schemas have the same elements in different orders".into())
}

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/schemas")
}

/// Names each row that only one of both tables has, else the first row at which their orders differ.
fn compare_table(file: &str, own: &str, official: &str) -> Done {
    let only_in = |one: &str, other: &str, mark: &str| -> String {
        let rows = one.lines().filter(|row| !other.lines().any(|other| other == *row));
        rows.map(|row| format!("{mark} {row}\n")).collect()
    };
    let mut differences = only_in(own, official, "only ours:    ") + &only_in(official, own, "only official:");
    if differences.is_empty() {
        let moved = own.lines().zip(official.lines()).find(|(own, official)| own != official);
        differences = moved.map_or(String::new(), |(row, _)| format!("out of order:  {row}\n"));
    }
    if own == official {
        Ok(())
    } else {
        Err(format!("{file} differs from the official schemas\n{differences}").into())
    }
}

/// Validates the same documents with both, whole and altered.
fn compare_verdicts(official: &Path) -> Done {
    let own = tempfile::tempdir()?;
    write_all(own.path())?;
    let mut count = 0_usize;
    for (file, document) in samples() {
        let documents = altered(&document);
        let ours = verdicts(&own.path().join(file), &documents);
        let theirs = verdicts(&official.join(file), &documents);
        let unequal = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
        if let Some(index) = unequal {
            return Err(format!("{file}: the verdicts about this document differ\n{}", documents[index]).into());
        }
        count = count.saturating_add(documents.len());
    }
    println!("{count} documents: the verdicts are those of the official schemas");
    Ok(())
}
