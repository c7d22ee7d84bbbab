//! Clients generated from the OpenAPI document. Each is built; the Python and TypeScript clients make a whole sale.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    place::Place,
    sandbox::{Sandbox, with_variables},
    tools,
};
use crate::{chore::Done, needs, steps::Steps};

/// The fixture, and the folder of the installed tools.
const FIXTURE: &str = "generators";
/// Annotation in generated Java that current JDKs lack.
const ANNOTATIONS: &str = "geronimo-annotation-1.3-spec.jar";
/// Programs that use a generated client, with the name of the client.
const PYTHON: [(&str, &str); 2] =
    [("use_openapi_generator.py", "cobro_client"), ("use_openapi_python_client.py", "cobro_python_client")];

/// Checks the document with two linters and their own rules.
pub(super) fn lint(steps: &mut Steps, place: &Place) -> Done {
    let folder = tools::folder(place, FIXTURE);
    // The rules are spectral's "recommended" set; a warning fails, too.
    let mut redocly = tools::program(&folder, "node_modules/@redocly/cli/bin/cli.js");
    redocly
        .args(["lint", "--extends", "recommended-strict"])
        .arg(place.document())
        .env("REDOCLY_TELEMETRY", "off")
        .env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    steps.run(redocly)?;

    let mut spectral = tools::program(&folder, "node_modules/@stoplight/spectral-cli/dist/index.js");
    spectral
        .args(["lint", "--fail-severity", "hint", "--ruleset"])
        .arg(place.fixture(FIXTURE).join("spectral.yaml"))
        .arg(place.document());
    steps.run(spectral)
}

/// Generates and builds a client with each generator, and runs the programs that use a client.
pub(super) fn check(steps: &mut Steps, place: &Place, sandbox: &Sandbox, python: &Path) -> Done {
    let folder = tools::folder(place, FIXTURE);
    for made in ["python", "client", "java"] {
        tools::start_over(&folder.join(made))?;
    }
    make_python(steps, place, python, &folder.join("python"))?;
    for (program, _) in PYTHON {
        let mut run = Command::new(python);
        run.arg(place.fixture(FIXTURE).join(program)).env("PYTHONPATH", folder.join("python"));
        steps.run(with_variables(run, sandbox))?;
    }
    use_typescript(steps, place, sandbox, python, &folder)?;
    compile_java(steps, place, python, &folder.join("java"))
}

fn make_python(steps: &mut Steps, place: &Place, python: &Path, folder: &Path) -> Done {
    let [(_, one), (_, other)] = PYTHON;
    let package = format!("--package-name={one}");
    steps.run(openapi_generator(place, python, &["python", &package], folder))?;
    let mut generate = Command::new(beside(python, "openapi-python-client"));
    generate.arg("generate").arg("--path").arg(place.document());
    generate.arg("--config").arg(place.fixture(FIXTURE).join("openapi-python-client.yaml"));
    generate.args(["--meta", "none", "--fail-on-warning", "--output-path"]).arg(folder.join(other));
    steps.run(generate)
}

fn use_typescript(steps: &mut Steps, place: &Place, sandbox: &Sandbox, python: &Path, folder: &Path) -> Done {
    tools::copy(&place.fixture(FIXTURE), &["tsconfig.json", "use.ts"], folder)?;
    let modules = "--additional-properties=importFileExtension=.js";
    steps.run(openapi_generator(place, python, &["typescript-fetch", modules], &folder.join("client")))?;
    tools::use_typescript(steps, folder, sandbox)
}

/// The generator's own archive contains all imports of the generated Java outside the JDK, except one annotation.
fn compile_java(steps: &mut Steps, place: &Place, python: &Path, folder: &Path) -> Done {
    let own_types = "--additional-properties=openApiNullable=false";
    steps.run(openapi_generator(place, python, &["java", "--library=native", own_types], folder))?;
    let annotations = needs::folder_of(&[ANNOTATIONS]).ok_or_else(|| format!("{ANNOTATIONS} is missing"))?;
    let path = [jar(python)?, annotations.join(ANNOTATIONS)].map(|it| it.display().to_string()).join(":");
    let list = folder.join("sources.txt");
    fs::write(&list, sources(&folder.join("src/main/java"))?.join("\n"))?;
    let mut compile = Command::new("javac");
    compile
        .args(["-nowarn", "-encoding", "UTF-8", "-d"])
        .arg(folder.join("built"))
        .args(["-cp", &path])
        .arg(format!("@{}", list.display()));
    steps.run(compile)
}

/// Generates a client. The log level is raised because the generator logs each file.
fn openapi_generator(place: &Place, python: &Path, kind: &[&str], folder: &Path) -> Command {
    let mut generate = Command::new(beside(python, "openapi-generator-cli"));
    generate.env("JAVA_OPTS", "-Dlog.level=error").args(["generate", "--generator-name"]).args(kind);
    generate.arg("--input-spec").arg(place.document()).arg("--output").arg(folder);
    generate
}

/// Returns the path of a program that was installed with that Python.
fn beside(python: &Path, program: &str) -> PathBuf {
    python.with_file_name(program)
}

/// Returns the path of the generator's library, which depends on the version of Python.
fn jar(python: &Path) -> Done<PathBuf> {
    let libraries = python.ancestors().nth(2).ok_or("the Python is in no folder")?.join("lib");
    let jar = |version: PathBuf| version.join("site-packages/openapi_generator_cli/openapi-generator.jar");
    let versions = fs::read_dir(&libraries)?.filter_map(|entry| Some(jar(entry.ok()?.path())));
    Ok(versions.into_iter().find(|it| it.is_file()).ok_or("openapi-generator.jar is missing")?)
}

/// Returns every Java file below that folder.
fn sources(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|it| it == "java") {
            found.push(path.display().to_string());
        }
    }
    Ok(found)
}
