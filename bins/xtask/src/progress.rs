//! Plan of a chore from the times of its last run, and a progress bar on a terminal.

use std::{
    fmt, fs,
    io::{self, IsTerminal, Write},
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Cells of the bar.
const WIDTH: u128 = 30;
/// Longest title in the plan.
const TITLE: usize = 90;

/// Steps of the last successful run of a chore, with their times.
pub(crate) struct Plan {
    file: PathBuf,
    steps: Vec<(String, Duration)>,
}

impl Plan {
    /// Reads the times of the last run; the first run has none.
    pub(crate) fn read(file: PathBuf) -> Self {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let step = |line: &str| {
            let (milliseconds, title) = line.split_once('\t')?;
            Some((title.to_owned(), Duration::from_millis(milliseconds.parse().ok()?)))
        };
        Self { file, steps: text.lines().filter_map(step).collect() }
    }

    /// Records the times of a run for the next one.
    pub(crate) fn replace(&self, taken: &[(String, Duration)]) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let lines = taken.iter().map(|(title, taken)| format!("{}\t{title}\n", taken.as_millis()));
        fs::write(&self.file, lines.collect::<String>())
    }

    /// Returns the bar of the step at `index`, if stderr is a terminal and the last run had the same step.
    pub(crate) fn bar(&self, index: usize, title: &str) -> Option<Bar> {
        let (known, expected) = self.steps.get(index)?;
        let is_shown = known == title && io::stderr().is_terminal();
        is_shown.then(|| Bar {
            before: self.steps[..index].iter().map(|(_, taken)| *taken).sum(),
            expected: *expected,
            total: self.total(),
            line: Mutex::default(),
        })
    }

    fn total(&self) -> Duration {
        self.steps.iter().map(|(_, taken)| *taken).sum()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return Ok(());
        }
        writeln!(f, "Steps, with their times in the last run ({}):", spell(self.total()))?;
        for (title, taken) in &self.steps {
            writeln!(f, "{:>9}  {}", spell(*taken), title.chars().take(TITLE).collect::<String>())?;
        }
        Ok(())
    }
}

/// Progress bar below the output of a step.
pub(crate) struct Bar {
    /// Time of the steps before this one.
    before: Duration,
    expected: Duration,
    total: Duration,
    line: Mutex<()>,
}

impl Bar {
    /// Draws the bar after `elapsed` in this step.
    pub(crate) fn draw(&self, elapsed: Duration) {
        self.write(self.text(elapsed).as_bytes());
    }

    /// Prints a line of output above the bar.
    pub(crate) fn print(&self, line: &[u8]) {
        self.write(&[line, b"\n"].concat());
    }

    fn text(&self, elapsed: Duration) -> String {
        let done = self.before + elapsed.min(self.expected);
        let share = |of: u128| done.as_millis() * of / self.total.as_millis().max(1);
        let left = spell(self.total.saturating_sub(done));
        let cells = usize::try_from(share(WIDTH)).unwrap_or_default();
        format!("[{:<30}] {} %, about {left} left", "#".repeat(cells), share(100))
    }

    /// Replaces the line of the bar. Errors are ignored: the terminal is gone then.
    fn write(&self, bytes: &[u8]) {
        let _line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = io::stderr().write_all(&[b"\r\x1b[2K", bytes].concat());
    }
}

fn spell(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min", (seconds + 30) / 60) }
}

#[cfg(test)]
mod tests {
    use std::{env, process};

    use super::*;

    #[test]
    fn plan_has_the_times_of_the_last_run() {
        let file = env::temp_dir().join(format!("cobro-plan-{}", process::id())).join("test");
        let first = Plan::read(file.clone());
        let steps =
            [("cargo fmt".to_owned(), Duration::from_secs(2)), ("cargo test".to_owned(), Duration::from_secs(600))];

        first.replace(&steps).unwrap();
        let second = Plan::read(file.clone());

        fs::remove_dir_all(file.parent().unwrap()).unwrap();
        assert_eq!(first.to_string(), "");
        let text = "Steps, with their times in the last run (10 min):\n      2 s  cargo fmt\n   10 min  cargo test\n";
        assert_eq!(second.to_string(), text);
    }

    #[test]
    fn bar_counts_the_steps_before_and_at_most_the_expected_time() {
        let seconds = Duration::from_secs;
        let bar = Bar { before: seconds(100), expected: seconds(200), total: seconds(600), line: Mutex::default() };

        assert_eq!(bar.text(seconds(50)), format!("[{:<30}] 25 %, about 8 min left", "#".repeat(7)));
        assert_eq!(bar.text(seconds(900)), format!("[{:<30}] 50 %, about 5 min left", "#".repeat(15)));
    }
}
