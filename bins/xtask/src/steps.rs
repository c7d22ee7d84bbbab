//! Runs commands one after another, and prints and records how long each takes.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    chore::{Done, root},
    progress::{Bar, Plan},
};

/// Interval between two checks of a running command.
const POLL: Duration = Duration::from_millis(100);

/// Steps of one chore.
pub(crate) struct Steps {
    begun: Instant,
    plan: Plan,
    taken: Vec<(String, Duration)>,
}

impl Steps {
    /// Prints the steps of `chore` with the time that each took in the last run.
    pub(crate) fn begin(chore: &str) -> Self {
        let plan = Plan::read(root().join("target/xtask").join(chore));
        eprint!("{plan}");
        Self { begun: Instant::now(), plan, taken: Vec::new() }
    }

    /// Runs one step.
    pub(crate) fn run(&mut self, command: Command) -> Done {
        self.run_within(Duration::MAX, command)
    }

    /// Runs one step and kills the command after `timeout`, which is a failure. Processes that the command started
    /// keep running.
    pub(crate) fn run_within(&mut self, timeout: Duration, mut command: Command) -> Done {
        let title = title(&command);
        eprintln!("\n== {title}");
        let bar = self.plan.bar(self.taken.len(), &title);
        if bar.is_some() {
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).env("CARGO_TERM_COLOR", "always");
        }

        let begun = Instant::now();
        let child = command.spawn().map_err(|error| format!("cannot run {title}: {error}"))?;
        let status = wait(child, timeout, bar.as_ref()).map_err(|error| format!("cannot wait for {title}: {error}"))?;

        let succeeded = status.is_some_and(|status| status.success());
        self.record(&title, begun.elapsed(), succeeded);
        match status {
            Some(_) if succeeded => Ok(()),
            Some(_) => Err(format!("failed: {title}").into()),
            None => Err(format!("killed after {timeout:?}: {title}").into()),
        }
    }

    /// Runs commands while `meanwhile` runs other steps. The output of each command follows after the last of these
    /// steps.
    pub(crate) fn run_beside<const N: usize>(
        &mut self,
        commands: [Command; N],
        meanwhile: impl FnOnce(&mut Self) -> Done,
    ) -> Done {
        let begun = Instant::now();
        let others = commands.map(|mut command| {
            let title = title(&command);
            eprintln!("\n== {title}, in parallel with the next steps");
            (title, thread::spawn(move || command.output().map(|output| (output, begun.elapsed()))))
        });

        let mut done = meanwhile(self);

        for (title, other) in others {
            let ended = other.join().map_err(|_| format!("no result of {title}"))?;
            let (output, taken) = ended.map_err(|error| format!("cannot run {title}: {error}"))?;
            let succeeded = output.status.success();
            eprintln!("\n== {title}");
            io::stderr().write_all(&[output.stdout, output.stderr].concat())?;
            self.record(&format!("{title} (in parallel)"), taken, succeeded);
            if !succeeded {
                done = Err(format!("failed: {title}").into());
            }
        }
        done
    }

    /// Prints how long each step took. The times of a successful run are stored for the next plan.
    pub(crate) fn report(&self, done: &Done) {
        eprintln!();
        for (title, taken) in &self.taken {
            eprintln!("{:>9}  {title}", format!("{taken:.1?}"));
        }
        eprintln!("{:>9}  in all", format!("{:.1?}", self.begun.elapsed()));
        if done.is_ok()
            && let Err(error) = self.plan.replace(&self.taken)
        {
            eprintln!("xtask: the times of this run are lost: {error}");
        }
    }

    fn record(&mut self, title: &str, taken: Duration, succeeded: bool) {
        eprintln!("== {} after {taken:.1?}", if succeeded { "done" } else { "FAILED" });
        self.taken.push((title.to_owned(), taken));
    }
}

/// Waits for the child and draws the bar below its output. Returns no status if the child was killed.
fn wait(mut child: Child, timeout: Duration, bar: Option<&Bar>) -> io::Result<Option<ExitStatus>> {
    if timeout == Duration::MAX && bar.is_none() {
        return child.wait().map(Some);
    }
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        if let Some(bar) = bar {
            stdout.map(|output| scope.spawn(|| forward(output, bar)));
            stderr.map(|output| scope.spawn(|| forward(output, bar)));
        }
        let begun = Instant::now();
        while begun.elapsed() < timeout {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if let Some(bar) = bar {
                bar.draw(begun.elapsed());
            }
            thread::sleep(POLL.min(timeout));
        }
        child.kill()?;
        child.wait()?;
        Ok(None)
    })
}

fn forward(output: impl Read, bar: &Bar) {
    for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
        bar.print(&line);
    }
}

/// Runs a command and returns whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

/// Returns the command under the program `timeout`, which ends the command and its processes after `timeout`: for
/// [`Steps::run_beside`].
pub(crate) fn with_timeout(timeout: Duration, command: &Command) -> Command {
    let mut limited = Command::new("timeout");
    limited.arg(timeout.as_secs().to_string()).arg(command.get_program()).args(command.get_args());
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    limited
}

/// Runs a command and returns its output. The error is `what`, then the error output.
pub(crate) fn output(what: &str, command: &mut Command) -> Done<String> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{what}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Returns the command line, without variables.
fn title(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = [program].into_iter().chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::cargo;

    #[test]
    fn failed_step_is_named() {
        let mut steps = Steps::begin("test-of-steps");

        let done = steps.run(cargo(&["--version"]));
        let failed = steps.run(cargo(&["no-such-command"]));

        assert!(done.is_ok());
        assert_eq!(failed.unwrap_err().to_string(), "failed: cargo no-such-command");
    }

    #[test]
    fn either_of_two_parallel_steps_can_fail() {
        let beside = |other: &[&str], own: &[&str]| {
            let mut steps = Steps::begin("test-of-steps");
            let done = steps.run_beside([cargo(other)], |steps| steps.run(cargo(own)));
            (steps.taken.len(), done.map_err(|failed| failed.to_string()))
        };
        let (well, failing) = (["--version"].as_slice(), ["no-such-command"].as_slice());
        let failed = "failed: cargo no-such-command".to_owned();

        assert_eq!(beside(well, well), (2, Ok(())));
        assert_eq!(beside(failing, well), (2, Err(failed.clone())));
        assert_eq!(beside(well, failing), (2, Err(failed)));
    }

    #[test]
    fn parallel_step_ends_at_its_timeout() {
        let mut steps = Steps::begin("test-of-steps");
        let mut sleep = Command::new("sh");
        sleep.args(["-c", "sleep $SECONDS_TO_SLEEP"]).env("SECONDS_TO_SLEEP", "600");

        let done = steps.run_beside([with_timeout(Duration::from_secs(1), &sleep)], |_| Ok(()));

        assert_eq!(done.unwrap_err().to_string(), "failed: timeout 1 sh -c sleep $SECONDS_TO_SLEEP");
        assert!(steps.begun.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn step_is_killed_after_its_timeout() {
        let sleep = |seconds: &str| {
            let mut command = Command::new("sleep");
            command.arg(seconds);
            command
        };
        let mut steps = Steps::begin("test-of-steps");

        let in_time = steps.run_within(Duration::from_secs(60), sleep("0"));
        let too_long = steps.run_within(Duration::from_millis(1), sleep("600"));

        assert!(in_time.is_ok());
        assert_eq!(too_long.unwrap_err().to_string(), "killed after 1ms: sleep 600");
        assert!(steps.begun.elapsed() < Duration::from_secs(60));
    }
}
