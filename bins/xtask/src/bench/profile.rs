//! Profile of the server during whole sales, as a flame graph beside the documentation.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use super::{flame, shop::Shop, tables::Tables};
use crate::{
    chore::{Done, root},
    postgres::Server,
    steps::output,
};

/// Samples a second of each processor.
const FREQUENCY: &str = "199";
/// Bytes of the stack in a sample.
const STACK: &str = "dwarf,32768";
/// Sales during the samples.
const SALES: u64 = 400;
/// The picture.
const PICTURE: &str = "docs/generated/whole-sale.svg";

/// Sells on PostgreSQL, and draws what the server does meanwhile. The program must have symbols.
pub(super) fn record(server: &Server, tables: &Tables, folder: &Path) -> Done {
    let shop = Shop::open(server, tables, folder, "profile")?;
    let data = folder.join("perf.data");
    let mut perf = Command::new("perf");
    perf.args(["record", "-F", FREQUENCY, "--call-graph", STACK, "-p", &shop.process().to_string(), "-o"]).arg(&data);
    let mut perf = perf.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // The first samples must not be missed.
    thread::sleep(Duration::from_millis(500));
    let sold = shop.sell(SALES, None, "sold")?;
    output("perf does not stop", Command::new("kill").args(["-INT", &perf.id().to_string()]))?;
    perf.wait()?;
    if sold.failed > 0 {
        return Err(format!("{} sales failed, such as: {}", sold.failed, sold.reason).into());
    }
    let mut script = Command::new("perf");
    script.args(["script", "--no-inline", "-F", "comm,ip,sym", "-i"]).arg(&data);
    let script = output("no profile", script.stderr(Stdio::null()))?;
    fs::write(root().join(PICTURE), flame::draw(&script, "The server during whole sales on PostgreSQL"))?;
    eprintln!("== {PICTURE}");
    Ok(())
}
