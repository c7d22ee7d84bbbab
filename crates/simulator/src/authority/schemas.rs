//! Document schemas: those of this project, or the authority's official ones in a folder.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use domain::fiscal::{DocumentKind, Route};
use ecf_schemas::Validator;

use crate::undisturbed::undisturbed;

/// Source of the schemas.
#[derive(Clone, Debug)]
pub enum Schemas {
    /// Schemas generated from this project's tables, with a library as validator.
    Own,
    /// Schema files of a folder, with `xmllint` as validator.
    Folder(PathBuf),
}

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
        if asked.is_ok_and(|it| it.success()) {
            Ok(Self::Folder(folder.to_owned()))
        } else {
            Err(SchemasUnusable::NoReader)
        }
    }

    /// Whether a document follows its schema.
    pub(crate) async fn accept(&self, route: Route, kind: DocumentKind, xml: Vec<u8>) -> bool {
        self.fault(route, &kind.ecf_type().to_string(), xml).await.is_none()
    }

    /// Where a document of that type does not follow its schema.
    pub(crate) async fn fault(&self, route: Route, ecf_type: &str, xml: Vec<u8>) -> Option<String> {
        let form = match route {
            Route::Full => "e-CF",
            Route::Summary => "RFCE",
        };
        self.fault_of(&format!("{form} {ecf_type} v.1.0.xsd"), xml).await
    }

    /// Returns the first fault of a document by the schema with that file name.
    pub(crate) async fn fault_of(&self, name: &str, xml: Vec<u8>) -> Option<String> {
        let name = name.to_owned();
        match self.clone() {
            Self::Own => undisturbed(true, move || own_fault(&name, &xml)).await.unwrap_or_default(),
            Self::Folder(folder) => {
                undisturbed(true, move || official_fault(&folder, &name, &xml)).await.unwrap_or_default()
            }
        }
    }
}

fn own_fault(name: &str, xml: &[u8]) -> Option<String> {
    let Some(validator) = Validator::of(name) else { return Some(format!("there is no {name}")) };
    validator.fault(xml)
}

fn official_fault(folder: &Path, name: &str, xml: &[u8]) -> Option<String> {
    let schema = folder.join(name);
    if !schema.is_file() {
        return Some(format!("there is no {name}"));
    }
    let mut command = Command::new("xmllint");
    command.args(["--nonet", "--noout", "--schema"]).arg(schema).arg("-");
    let (follows, messages) = heard(command, xml);
    // The first line names the element, after the position in the file.
    let first = messages.lines().next().unwrap_or_default();
    let fault = first.split_once("Schemas validity error : ").map_or(first, |(_, fault)| fault);
    (!follows).then(|| fault.trim_end_matches('.').to_owned())
}

/// Whether a command that reads those bytes says yes.
pub(super) fn succeeds(command: Command, input: &[u8]) -> bool {
    heard(command, input).0
}

/// Whether it says yes, and what it says beside that.
fn heard(mut command: Command, input: &[u8]) -> (bool, String) {
    let begun = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = begun.inspect_err(|error| tracing::error!(%error, "a judge of documents cannot be asked"))
    else {
        return (false, String::new());
    };
    // It reads everything before it judges; one that has heard enough closes its ear.
    let written = child.stdin.take().map(|mut it| it.write_all(input));
    drop(written);
    let ended = child.wait_with_output();
    ended.map_or((false, String::new()), |it| (it.status.success(), String::from_utf8_lossy(&it.stderr).into_owned()))
}
