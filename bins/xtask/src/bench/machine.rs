//! Processor time and memory, from the kernel's accounts.

use std::{fs, ops::Sub, time::Duration};

use crate::chore::Done;

/// The kernel counts the time of the processor in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// Measured processes, beside our own children.
pub(crate) struct Processes {
    pub(crate) server: u32,
    pub(crate) database: u32,
}

/// Time of the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// By the server.
    pub(crate) server: Duration,
    /// Time of the database with all processes.
    pub(crate) database: Duration,
    /// Time of the load generator.
    pub(crate) client: Duration,
    /// Time of all processes.
    pub(crate) all: Duration,
    /// That there was.
    pub(crate) there: Duration,
}

/// Returns the processor time of a process without its children.
pub(super) fn own_time(process: u32) -> Done<Duration> {
    Ok(Stat::of(process)?.own)
}

/// Returns the memory of a process, in kilobytes.
pub(super) fn memory(process: u32) -> Done<u64> {
    status(process, "VmRSS:")
}

/// Returns a number of kilobytes in the status of a process.
fn status(process: u32, name: &str) -> Done<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("no memory in the status")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

impl Processes {
    /// Returns the times since the start of the processes.
    pub(crate) fn used(&self) -> Done<Used> {
        let (all, there) = machine()?;
        let client = Stat::of(std::process::id())?;
        let mut database = Stat::of(self.database)?.with_the_dead();
        for process in children(self.database)? {
            // A process that has ended meanwhile is part of the time of the parent.
            database += Stat::of(process).map_or(Duration::ZERO, |it| it.own);
        }
        Ok(Used { server: Stat::of(self.server)?.own, database, client: client.with_the_dead(), all, there })
    }

    /// Forgets the most memory that the server has had.
    pub(crate) fn forget_memory(&self) -> Done {
        Ok(fs::write(format!("/proc/{}/clear_refs", self.server), "5")?)
    }

    /// The most memory that the server has had since, in kilobytes.
    pub(crate) fn most_memory(&self) -> Done<u64> {
        status(self.server, "VmHWM:")
    }
}

impl Sub for Used {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            server: self.server.saturating_sub(before.server),
            database: self.database.saturating_sub(before.database),
            client: self.client.saturating_sub(before.client),
            all: self.all.saturating_sub(before.all),
            there: self.there.saturating_sub(before.there),
        }
    }
}

impl Used {
    /// Returns the share of other processes, in percent.
    pub(crate) fn others(&self) -> u128 {
        let others = self.all.saturating_sub(self.server + self.database + self.client);
        (others.as_millis() * 100).checked_div(self.there.as_millis()).unwrap_or(0)
    }
}

/// Times of a process and of children that have ended.
struct Stat {
    parent: u32,
    own: Duration,
    dead: Duration,
}

impl Stat {
    fn of(process: u32) -> Done<Self> {
        Self::read(&fs::read_to_string(format!("/proc/{process}/stat"))?)
    }

    /// The name of the program is in brackets and may contain any character; numbers follow.
    fn read(text: &str) -> Done<Self> {
        let (_, rest) = text.rsplit_once(')').ok_or("a process has no name")?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let field = |place: usize| fields.get(place).copied().unwrap_or_default();
        let ticks = |place| Done::Ok(TICK * field(place).parse::<u32>()?);
        Ok(Self { parent: field(1).parse()?, own: ticks(11)? + ticks(12)?, dead: ticks(13)? + ticks(14)? })
    }

    fn with_the_dead(&self) -> Duration {
        self.own + self.dead
    }
}

fn children(parent: u32) -> Done<Vec<u32>> {
    let processes = fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    Ok(processes.filter(|&process| Stat::of(process).is_ok_and(|it| it.parent == parent)).collect())
}

/// Returns the used time and the total time of all processors.
fn machine() -> Done<(Duration, Duration)> {
    let text = fs::read_to_string("/proc/stat")?;
    let line = text.lines().next().and_then(|line| line.strip_prefix("cpu ")).ok_or("no time in /proc/stat")?;
    let ticks = line.split_whitespace().take(8).map(str::parse).collect::<Result<Vec<u32>, _>>()?;
    let there: u32 = ticks.iter().sum();
    // The fourth and the fifth field are idle time and I/O wait.
    let idle: u32 = ticks.iter().skip(3).take(2).sum();
    Ok((TICK * there.saturating_sub(idle), TICK * there))
}

/// Returns a short description of the machine.
pub(crate) fn describe() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let named = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_once(':').map_or(String::new(), |(_, value)| value.trim().to_owned())
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let model = named(&read("/proc/cpuinfo"), "model name");
    let memory = named(&read("/proc/meminfo"), "MemTotal");
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("{processors} × {model}, {memory}, Linux {}", kernel.trim())
}

/// How many processes wanted the processor of late, as in `0.52`.
pub(crate) fn busy() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_with_any_name_is_parsed() {
        let text = "42 (a ) 7 name) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 3 2 20 0 1 0 5 6 7";

        let stat = Stat::read(text).unwrap();

        assert_eq!((stat.parent, stat.own, stat.dead), (7, Duration::from_secs(2), Duration::from_millis(50)));
    }

    #[test]
    fn time_of_unknown_processes_belongs_to_others() {
        let seconds = Duration::from_secs;
        let used =
            Used { server: seconds(2), database: seconds(3), client: seconds(1), all: seconds(8), there: seconds(20) };

        assert_eq!(used.others(), 10);
    }
}
