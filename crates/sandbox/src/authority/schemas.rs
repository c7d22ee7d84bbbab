//! Document schemas: those of this project, or the authority's official ones in a folder.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use domain::{
    fiscal::{DocumentKind, Route},
    text::{UnsupportedEncoding, decode_xml},
};
use ecf_schemas::Validator;

use crate::blocking::run_blocking;

/// Source of the schemas.
#[derive(Clone, Debug)]
pub enum Schemas {
    /// Schemas generated from this project's tables, with a library as validator.
    Own,
    /// Schema files of a folder, with `xmllint` as validator.
    Folder(PathBuf),
}

/// The schemas cannot be used; the document is not the cause.
#[derive(Debug, thiserror::Error)]
pub enum SchemaFilesError {
    /// A file is missing.
    #[error("{} is not there", .0.display())]
    Missing(PathBuf),
    /// A file is not a valid schema, for this reason.
    #[error("{} is not a valid schema: {fault}", .schema.display())]
    Invalid {
        /// The file.
        schema: PathBuf,
        /// The message of `xmllint`.
        fault: String,
    },
    /// The validator is missing.
    #[error("xmllint is not installed")]
    NoReader,
    /// The validator ended without a result.
    #[error("the validation was interrupted")]
    Interrupted,
}

impl Schemas {
    /// Uses the schemas of a folder, under the authority's file names.
    ///
    /// # Errors
    ///
    /// [`SchemaFilesError`] if a schema or `xmllint` is missing.
    pub fn at(folder: &Path) -> Result<Self, SchemaFilesError> {
        for name in
            ["e-CF 31 v.1.0.xsd", "e-CF 32 v.1.0.xsd", "e-CF 34 v.1.0.xsd", "e-CF 45 v.1.0.xsd", "RFCE 32 v.1.0.xsd"]
        {
            let path = folder.join(name);
            if !path.is_file() {
                return Err(SchemaFilesError::Missing(path));
            }
        }
        let status = Command::new("xmllint").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if status.is_ok_and(|it| it.success()) {
            Ok(Self::Folder(folder.to_owned()))
        } else {
            Err(SchemaFilesError::NoReader)
        }
    }

    /// Whether a document follows its schema.
    pub(crate) async fn accept(&self, route: Route, kind: DocumentKind, xml: Vec<u8>) -> bool {
        self.follows(&file(route, &kind.ecf_type().to_string()), xml).await
    }

    /// Whether a document follows the schema with that file name; `false` if the schema is unusable.
    pub(crate) async fn follows(&self, name: &str, xml: Vec<u8>) -> bool {
        let fault = self.fault_of(name, xml).await;
        fault.inspect_err(|error| tracing::error!(%error, "the schemas cannot be used")).is_ok_and(|it| it.is_none())
    }

    /// Returns the first fault of a document of that type.
    pub(crate) async fn fault(
        &self,
        route: Route,
        ecf_type: &str,
        xml: Vec<u8>,
    ) -> Result<Option<String>, SchemaFilesError> {
        self.fault_of(&file(route, ecf_type), xml).await
    }

    /// Returns the first fault of a document by the schema with that file name.
    async fn fault_of(&self, name: &str, xml: Vec<u8>) -> Result<Option<String>, SchemaFilesError> {
        let (schemas, name) = (self.clone(), name.to_owned());
        let validated = run_blocking(true, move || {
            let xml = match decode_xml(&xml) {
                Ok(text) => text,
                Err(UnsupportedEncoding(reason)) => return Ok(Some(reason.to_owned())),
            };
            match schemas {
                Self::Own => Ok(own_fault(&name, xml.as_bytes())),
                Self::Folder(folder) => official_fault(&folder, &name, xml.as_bytes()),
            }
        });
        validated.await.unwrap_or(Err(SchemaFilesError::Interrupted))
    }
}

fn file(route: Route, ecf_type: &str) -> String {
    let form = match route {
        Route::Full => "e-CF",
        Route::Summary => "RFCE",
    };
    format!("{form} {ecf_type} v.1.0.xsd")
}

fn own_fault(name: &str, xml: &[u8]) -> Option<String> {
    let Some(validator) = Validator::of(name) else { return Some(format!("there is no {name}")) };
    validator.fault(xml)
}

/// Exit code of `xmllint` for a schema that does not compile.
const SCHEMA_INVALID: i32 = 5;

fn official_fault(folder: &Path, name: &str, xml: &[u8]) -> Result<Option<String>, SchemaFilesError> {
    // The document names its type: of an unknown one DGII has no schema.
    if ecf_schemas::xsd(name).is_none() {
        return Ok(Some(format!("there is no {name}")));
    }
    let schema = folder.join(name);
    if !schema.is_file() {
        return Err(SchemaFilesError::Missing(schema));
    }
    let mut command = Command::new("xmllint");
    command.args(["--nonet", "--noout", "--schema"]).arg(&schema).arg("-");
    let output = run(command, xml).ok_or(SchemaFilesError::NoReader)?;
    let messages = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => Ok(None),
        Some(SCHEMA_INVALID) => {
            Err(SchemaFilesError::Invalid { schema, fault: first_message(&messages, "Schemas parser error : ") })
        }
        Some(_) => Ok(Some(first_message(&messages, "Schemas validity error : "))),
        None => Err(SchemaFilesError::Interrupted),
    }
}

/// Returns the first message of that kind, without the position in the file and without the full stop; otherwise the
/// first line.
fn first_message(messages: &str, kind: &str) -> String {
    let of_kind = messages.lines().find_map(|line| line.split_once(kind)).map(|(_, message)| message);
    let message = of_kind.or_else(|| messages.lines().next()).unwrap_or_default();
    message.trim_end_matches('.').to_owned()
}

/// Whether a command that reads those bytes succeeds.
pub(super) fn succeeds(command: Command, input: &[u8]) -> bool {
    run(command, input).is_some_and(|it| it.status.success())
}

/// Returns the output of a command that reads those bytes.
fn run(mut command: Command, input: &[u8]) -> Option<Output> {
    let begun = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = begun.inspect_err(|error| tracing::error!(%error, "a validator cannot be started")).ok()?;
    // The command reads the whole input before it validates. A command that ends early closes the pipe.
    let written = child.stdin.take().map(|mut it| it.write_all(input));
    drop(written);
    child.wait_with_output().ok()
}
