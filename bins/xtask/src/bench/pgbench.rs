use std::{fs, path::Path, time::Duration};

use super::{
    measured::{Load, Measured},
    tables::{Tables, fixture},
};
use crate::{chore::Done, steps::output};

/// The database's own work: one script, each connection with one transaction at a time.
///
/// The seed differs from run to run, because payments of the same names would be refused.
pub(crate) fn run(
    kind: &str,
    seed: usize,
    connections: u32,
    seconds: u32,
    tables: &Tables,
    load: &Load,
) -> Done<Measured> {
    let folder = load.files.join("log");
    fs::create_dir_all(&folder)?;
    let mut pgbench = tables.program("pgbench")?;
    pgbench
        .args(["--no-vacuum", "--protocol=prepared", "--log"])
        .arg(format!("--random-seed={seed}{connections}"))
        .arg(format!("--log-prefix={}", folder.join("transactions").display()))
        .args([format!("--client={connections}"), format!("--jobs={}", connections.min(2))])
        .args([format!("--time={seconds}"), format!("--define=rows={}", load.payments)])
        .args(load.values.iter().map(|(name, value)| format!("--define={name}={value}")))
        .arg("--file")
        .arg(fixture(&format!("{kind}.sql")));
    output("pgbench", &mut pgbench)?;
    let mut times = times(&folder)?;
    fs::remove_dir_all(&folder)?;
    times.sort_unstable();
    let within = |percent: usize| times.get((times.len() * percent / 100).min(times.len().saturating_sub(1)));
    Ok(Measured {
        operations: times.len() as u64,
        took: Duration::from_secs(seconds.into()),
        half_within: within(50).copied().unwrap_or_default(),
        most_within: within(99).copied().unwrap_or_default(),
        ..Measured::default()
    })
}

/// How many microseconds each transaction took: the third number of each line.
fn times(folder: &Path) -> Done<Vec<u64>> {
    let mut times = Vec::new();
    for file in fs::read_dir(folder)? {
        let text = fs::read_to_string(file?.path())?;
        times.extend(text.lines().filter_map(|line| line.split(' ').nth(2)?.parse::<u64>().ok()));
    }
    Ok(times)
}
