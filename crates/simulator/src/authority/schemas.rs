//! The authority's official schemas, where somebody has them: a judge that is not ours.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use domain::fiscal::{DocumentKind, Route};

use crate::undisturbed::undisturbed;

/// The schemas in a folder, which `xmllint` reads.
#[derive(Debug)]
pub struct Schemas(PathBuf);

/// The schemas cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum SchemasUnusable {
    /// One is not there.
    #[error("{} is not there", .0.display())]
    Missing(PathBuf),
    /// Nobody can read them.
    #[error("xmllint is not installed")]
    NoReader,
}

impl Schemas {
    /// Those in that folder, under the names that the authority gives them.
    ///
    /// # Errors
    ///
    /// [`SchemasUnusable`] if one is missing, or `xmllint` is.
    pub fn at(folder: &Path) -> Result<Self, SchemasUnusable> {
        for name in ["e-CF 31 v.1.0.xsd", "e-CF 32 v.1.0.xsd", "e-CF 45 v.1.0.xsd", "RFCE 32 v.1.0.xsd"] {
            let path = folder.join(name);
            if !path.is_file() {
                return Err(SchemasUnusable::Missing(path));
            }
        }
        let asked = Command::new("xmllint").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if asked.is_ok_and(|it| it.success()) { Ok(Self(folder.to_owned())) } else { Err(SchemasUnusable::NoReader) }
    }

    /// Whether a document follows its schema.
    pub(crate) async fn accept(&self, route: Route, kind: DocumentKind, xml: Vec<u8>) -> bool {
        let name = match route {
            Route::Full => format!("e-CF {} v.1.0.xsd", kind.ecf_type()),
            Route::Summary => format!("RFCE {} v.1.0.xsd", kind.ecf_type()),
        };
        let schema = self.0.join(name);
        let command = move || {
            let mut command = Command::new("xmllint");
            command.args(["--nonet", "--noout", "--schema"]).arg(schema).arg("-");
            succeeds(command, &xml)
        };
        undisturbed(true, command).await.unwrap_or(false)
    }
}

/// Whether a command that reads those bytes says yes.
pub(super) fn succeeds(mut command: Command, input: &[u8]) -> bool {
    let begun = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = begun.inspect_err(|error| tracing::error!(%error, "a judge of documents cannot be asked"))
    else {
        return false;
    };
    // One that has heard enough closes its ear.
    let written = child.stdin.take().map(|mut it| it.write_all(input));
    drop(written);
    child.wait().is_ok_and(|it| it.success())
}
