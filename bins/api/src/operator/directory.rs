use std::{
    fs::File,
    io::{BufReader, Read, Seek},
    path::{Path, PathBuf},
};

use app::{
    Unexpected,
    operators::{Severity, import_register, of_register},
};
use chrono::{DateTime, NaiveDate, Utc};
use dgii::{RegisterInvalid, RegisterReader};
use domain::fiscal::{end_of_day, local_date};
use ports::{Clock, RegisterEntry};
use serde_json::json;
use tokio::{
    sync::mpsc::{self, Receiver, Sender},
    task::{self, JoinHandle},
};
use zip::ZipArchive;

use super::print;
use crate::{
    clock::SystemClock,
    config::{DirectoryCommand, DirectoryOptions},
    failure::{Context, Done, Failure},
    stores::Stores,
};

/// Taxpayers that are added at once.
const BATCH: usize = 10_000;
/// How many there are between two lines about the progress.
const STEP: u64 = 100_000;
/// Taxpayers, or the end of the file.
type Batch = Option<Vec<RegisterEntry>>;
/// First bytes of a ZIP file.
const PACKED: &[u8] = b"PK\x03\x04";

pub(crate) async fn run(DirectoryCommand::Import(options): DirectoryCommand) -> Done {
    let DirectoryOptions { database, file, as_of, at_least } = options;
    let stores = Stores::postgres(&database.url()?).await?.with_right_clock().await?;
    let register = stores.register.ok_or_else(|| Failure::new("the database keeps no register"))?;
    let path = file.clone();
    task::spawn_blocking(move || check_form(&path)).await.or_fail("the file cannot be read")??;
    let path = file.clone();
    let as_of = match as_of {
        Some(day) => of_day(day),
        None => task::spawn_blocking(move || dated(&path)).await.or_fail("the file cannot be read")??,
    };

    let (mut batches, reading) = read(file);
    // Distinguishes the end of the file from a failure of the reader.
    let next = async || batches.recv().await.ok_or_else(|| Unexpected::from("the file was not read to its end"));
    let progress = |added: u64| {
        if added % STEP < BATCH as u64 {
            eprintln!("{added} taxpayers");
        }
    };
    let imported = import_register(register.as_ref(), &SystemClock, (as_of, at_least), next, progress).await;
    drop(batches);
    // The error of the reader comes first: the other follows from it.
    let unusable = reading.await.or_fail("the reading was interrupted")??;
    let listed = imported.or_fail("the register was not imported; the previous copy stays in force")?;
    let state = of_register(Some(as_of), SystemClock.now());
    if state.severity != Severity::Ok {
        eprintln!("{}", state.detail);
    }
    print(&json!({ "asOf": as_of.to_rfc3339(), "taxpayers": listed, "unusableLines": unusable }))
}

/// Checks the first line before the date: only the date of a register is worth a comparison. Damage in the rest of the
/// file is found by the import.
fn check_form(path: &Path) -> Done {
    with_text(path, |text| RegisterReader::open(text).map(drop).map_err(|why| refused(path, &why)))
}

/// Reads the text of a register, packed or not, with `read`.
fn with_text<T>(path: &Path, read: impl FnOnce(BufReader<&mut dyn Read>) -> Done<T>) -> Done<T> {
    let cannot = || format!("{} cannot be read", path.display());
    match packed(path)? {
        None => read(BufReader::new(&mut File::open(path).or_fail(cannot())?)),
        Some(mut archive) => {
            let index = register_in(&mut archive)?;
            read(BufReader::new(&mut archive.by_index(index).or_fail(cannot())?))
        }
    }
}

fn refused(path: &Path, why: &RegisterInvalid) -> Failure {
    match why {
        RegisterInvalid::Unreadable(_) => Failure::because(format!("{} cannot be read", path.display()), why),
        _ => Failure::because(format!("{} is no register of taxpayers", path.display()), why),
    }
}

/// Reads the file on a separate thread, which waits while the queue is full.
fn read(file: PathBuf) -> (Receiver<Batch>, JoinHandle<Done<u64>>) {
    let (sender, receiver) = mpsc::channel(2);
    let reading = task::spawn_blocking(move || with_text(&file, |text| send_batches(text, &sender, &file)));
    (receiver, reading)
}

fn send_batches(text: BufReader<&mut dyn Read>, sender: &Sender<Batch>, path: &Path) -> Done<u64> {
    let mut reader = RegisterReader::open(text).map_err(|why| refused(path, &why))?;
    loop {
        let batch = reader.batch(BATCH).map_err(|why| refused(path, &why))?;
        let is_last = batch.is_none();
        // The import has failed and reports the error.
        if sender.blocking_send(batch).is_err() || is_last {
            return Ok(reader.unusable());
        }
    }
}

/// Opens the archive that DGII publishes, or the text file from the archive.
fn packed(path: &Path) -> Done<Option<ZipArchive<BufReader<File>>>> {
    let cannot = || format!("{} cannot be read", path.display());
    let mut file = File::open(path).or_fail(cannot())?;
    let mut magic = Vec::new();
    file.by_ref().take(PACKED.len() as u64).read_to_end(&mut magic).or_fail(cannot())?;
    if magic != PACKED {
        return Ok(None);
    }
    file.rewind().or_fail(cannot())?;
    ZipArchive::new(BufReader::new(file)).or_fail(cannot()).map(Some)
}

/// Returns the index of the first text in the archive that begins as a register, otherwise that of the first text.
fn register_in(archive: &mut ZipArchive<BufReader<File>>) -> Done<usize> {
    let is_text = |name: &str| {
        let name = name.to_ascii_lowercase();
        // macOS adds metadata files to archives.
        (name.ends_with(".txt") || name.ends_with(".csv")) && !name.starts_with("__macosx/")
    };
    let names = archive.file_names().flatten().filter(|it| is_text(it));
    let texts: Vec<usize> = names.filter_map(|it| archive.index_for_name(&it)).collect();
    let mut opens =
        |index| archive.by_index(index).is_ok_and(|text| RegisterReader::open(BufReader::new(text)).is_ok());
    let found = texts.iter().copied().find(|&index| opens(index)).or(texts.first().copied());
    found.ok_or_else(|| Failure::new("there is no register in the archive: no name ends with .TXT or .CSV"))
}

/// Returns the date in the archive, or the last change of the file.
fn dated(path: &Path) -> Done<DateTime<Utc>> {
    let cannot = || format!("{} cannot be read", path.display());
    if let Some(mut archive) = packed(path)? {
        let index = register_in(&mut archive)?;
        let stamp = archive.by_index(index).or_fail(cannot())?.last_modified();
        let day = stamp.and_then(|it| NaiveDate::from_ymd_opt(it.year().into(), it.month().into(), it.day().into()));
        let unknown = || Failure::new("the archive does not say of when it is: give --as-of");
        return day.map(of_day).ok_or_else(unknown);
    }
    let changed = path.metadata().and_then(|it| it.modified()).or_fail(cannot())?;
    Ok(changed.into())
}

/// Returns the end of a day in Santo Domingo, but at most the present time.
fn of_day(day: NaiveDate) -> DateTime<Utc> {
    let now = SystemClock.now();
    if day == local_date(now) { now } else { end_of_day(day) }
}
