//! Import of a register of taxpayers with the real size.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    process::Command,
    time::Instant,
};

use super::{
    measured::{Measured, Size},
    tables::Tables,
};
use crate::{
    chore::{Done, released},
    steps::output,
};

/// Imports `size.taxpayers` and measures the time, with the reading of the file.
pub(super) fn measure(size: Size, tables: &Tables, folder: &Path) -> Done<Measured> {
    eprintln!("== {} taxpayers in the register", size.taxpayers);
    let path = folder.join("DGII_RNC.TXT");
    write(&path, size.taxpayers)?;
    let begun = Instant::now();
    let mut import = Command::new(released("cobro"));
    import.args(["directory", "import", "--database-url", &tables.url(), "--at-least", &size.taxpayers.to_string()]);
    output("no register", import.arg(&path))?;
    let took = begun.elapsed();
    Ok(Measured { operations: u64::from(size.taxpayers), took, ..Measured::default() })
}

/// Writes lines as long as DGII's, with invented numbers.
fn write(path: &Path, taxpayers: u32) -> Done {
    let mut file = BufWriter::new(File::create(path)?);
    for n in 0..taxpayers {
        let name = format!("COMERCIAL DE PRUEBA {n} DEL CIBAO, SRL");
        let trade = format!("PRUEBA {n}|VENTA AL POR MENOR EN ALMACENES NO ESPECIALIZADOS");
        write!(file, "{:09}|{name}|{trade}| | | | |30/06/2020|ACTIVO|NORMAL\r\n", 100_000_000 + n)?;
    }
    Ok(file.flush()?)
}
