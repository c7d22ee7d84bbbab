//! The steps of the check: each is one command, shown and timed.

use std::{
    env,
    io::{self, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{Done, postgres::Server, root};

/// What has run so far, and for how long.
pub(crate) struct Steps {
    begun: Instant,
    taken: Vec<(String, Duration)>,
}

impl Steps {
    /// The clock starts.
    pub(crate) fn begin() -> Self {
        Self { begun: Instant::now(), taken: Vec::new() }
    }

    /// Runs one step to its end, however long it takes.
    pub(crate) fn run(&mut self, command: Command) -> Done {
        self.run_within(Duration::MAX, command)
    }

    /// Runs one step, and ends it when it takes longer than `most`: that is a failure as well. What the command itself
    /// started is not ended with it.
    pub(crate) fn run_within(&mut self, most: Duration, mut command: Command) -> Done {
        let title = title(&command);
        eprintln!("\n== {title}");

        let begun = Instant::now();
        let child = command.spawn().map_err(|error| format!("cannot run {title}: {error}"))?;
        let status = wait(child, most).map_err(|error| format!("cannot wait for {title}: {error}"))?;
        let taken = begun.elapsed();

        let succeeded = status.is_some_and(|status| status.success());
        eprintln!("== {} after {taken:.1?}", if succeeded { "done" } else { "FAILED" });
        self.taken.push((title.clone(), taken));
        match status {
            Some(_) if succeeded => Ok(()),
            Some(_) => Err(format!("failed: {title}").into()),
            None => Err(format!("not done after {most:?}, and ended: {title}").into()),
        }
    }

    /// Runs one step while `meanwhile` runs others, which leave a core idle. What it says is shown once both have ended.
    pub(crate) fn run_beside(&mut self, mut command: Command, meanwhile: impl FnOnce(&mut Self) -> Done) -> Done {
        let title = title(&command);
        eprintln!("\n== {title}, beside what follows");
        let begun = Instant::now();
        let other = thread::spawn(move || command.output().map(|said| (said, begun.elapsed())));

        let done = meanwhile(self);

        let ended = other.join().map_err(|_| format!("nobody waited for {title}"))?;
        let (said, taken) = ended.map_err(|error| format!("cannot run {title}: {error}"))?;
        let succeeded = said.status.success();
        eprintln!("\n== {title}");
        io::stderr().write_all(&[said.stdout, said.stderr].concat())?;
        eprintln!("== {} after {taken:.1?}", if succeeded { "done" } else { "FAILED" });
        self.taken.push((format!("{title} (beside others)"), taken));
        if succeeded { done } else { Err(format!("failed: {title}").into()) }
    }

    /// Where the time went.
    pub(crate) fn report(&self) {
        eprintln!();
        for (title, taken) in &self.taken {
            eprintln!("{:>9}  {title}", format!("{taken:.1?}"));
        }
        eprintln!("{:>9}  in all", format!("{:.1?}", self.begun.elapsed()));
    }
}

pub(crate) fn format() -> Command {
    cargo(&["fmt", "--all", "--check"])
}

pub(crate) fn lints() -> Command {
    cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
}

/// Every test of the workspace whose name contains one of `names`, or every test if there are none.
pub(crate) fn tests(server: &Server, names: &[&str]) -> Command {
    let mut command = match Runner::find() {
        Runner::Nextest => cargo(&["nextest", "run", "--workspace", "--locked", "--no-fail-fast"]),
        Runner::Cargo => cargo(&[PLAIN, &["--no-fail-fast"]].concat()),
    };
    if !names.is_empty() {
        command.arg("--").args(names);
    }
    // A page that is stale must fail here, whatever the environment that we were started in.
    command.env_remove("UPDATE").env("TEST_DATABASE_URL", server.url());
    command
}

/// Tests of what says a date or an hour: these modules of `domain`, `dgii`, `pdf`, `sandbox`, `wire` and `rest`.
const DATED: &[&str] =
    &["header::", "vectors::", "rules::", "number::", "receipts::", "facts::", "documents::", "authority_refusals::"];

/// The tests of dates once more, on a machine that is where it is tomorrow already when a document is of today.
pub(crate) fn tests_elsewhere(server: &Server) -> Command {
    let mut command = tests(server, DATED);
    command.env("TZ", "Asia/Tokyo");
    command
}

/// Writes the tables of the tax authority's schemas, or compares them, with the official files in `folder`.
pub(crate) fn ecf_tables(verb: &str, folder: &Path) -> Command {
    let mut command = cargo(&["run", "--locked", "--package", "ecf-schemas", "--example", "ecf-tables", "--", verb]);
    command.arg(folder);
    command
}

/// The examples in the documentation of `domain`, the only crate that has any. They are asked of the whole workspace
/// all the same: asked of one package, cargo would build the dependencies again with other features.
pub(crate) fn examples() -> Command {
    cargo(&["test", "--doc", "--workspace", "--locked"])
}

/// The binary and the programs that the documentation shows, built as the tests build it: built alone, its dependencies would be built again with other features.
pub(crate) fn product() -> Command {
    cargo(&["build", "--workspace", "--bins", "--examples", "--tests", "--locked"])
}

pub(crate) fn documentation() -> Command {
    let mut command = cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

/// The program as it is given away.
pub(crate) fn release() -> Command {
    cargo(&["build", "--release", "--locked", "--package", "cobro"])
}

/// Builds what the bench runs of the adapter to AZUL and of the printer, as fast as the program that is given away.
pub(crate) fn measured() -> Command {
    let packages = ["--package", "azul", "--example", "load", "--package", "pdf", "--example", "documents"];
    cargo(&[&["build", "--release", "--locked"], packages.as_slice()].concat())
}

/// How the child ended, or nothing if it had to be ended.
fn wait(mut child: Child, most: Duration) -> io::Result<Option<ExitStatus>> {
    const LOOK: Duration = Duration::from_millis(100);

    if most == Duration::MAX {
        return child.wait().map(Some);
    }
    let begun = Instant::now();
    while begun.elapsed() < most {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(LOOK.min(most));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// Whether a command could be run and liked what it saw.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

/// Who runs the tests: nextest where it is installed, because it is faster, and otherwise cargo.
enum Runner {
    Nextest,
    Cargo,
}

impl Runner {
    fn find() -> Self {
        let mut version = cargo(&["nextest", "--version"]);
        let found = succeeds(version.stdout(Stdio::null()).stderr(Stdio::null()));
        if found { Self::Nextest } else { Self::Cargo }
    }
}

/// All tests but the examples, which are a step of their own.
const PLAIN: &[&str] = &["test", "--workspace", "--locked", "--lib", "--bins", "--tests"];

/// The cargo that started us, at the root of the workspace.
fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// The command as one would type it; what it finds in its environment is not shown.
fn title(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = [program].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_fails_ends_the_run_and_is_named() {
        let mut steps = Steps::begin();

        let done = steps.run(cargo(&["--version"]));
        let failed = steps.run(cargo(&["no-such-command"]));

        assert!(done.is_ok());
        assert_eq!(failed.unwrap_err().to_string(), "failed: cargo no-such-command");
    }

    #[test]
    fn of_two_steps_beside_each_other_either_can_fail() {
        let beside = |other: &[&str], own: &[&str]| {
            let mut steps = Steps::begin();
            let done = steps.run_beside(cargo(other), |steps| steps.run(cargo(own)));
            (steps.taken.len(), done.map_err(|failed| failed.to_string()))
        };
        let (well, failing) = (["--version"].as_slice(), ["no-such-command"].as_slice());
        let failed = "failed: cargo no-such-command".to_owned();

        assert_eq!(beside(well, well), (2, Ok(())));
        assert_eq!(beside(failing, well), (2, Err(failed.clone())));
        assert_eq!(beside(well, failing), (2, Err(failed)));
    }

    #[test]
    fn a_step_that_does_not_end_is_ended_and_named() {
        let sleep = |seconds: &str| {
            let mut command = Command::new("sleep");
            command.arg(seconds);
            command
        };
        let mut steps = Steps::begin();

        let in_time = steps.run_within(Duration::from_secs(60), sleep("0"));
        let too_long = steps.run_within(Duration::from_millis(1), sleep("600"));

        assert!(in_time.is_ok());
        assert_eq!(too_long.unwrap_err().to_string(), "not done after 1ms, and ended: sleep 600");
        assert!(steps.begun.elapsed() < Duration::from_secs(60));
    }
}
