/// Keeps the memory of a process that takes cards, or opens secrets, out of core dumps and away from debuggers of its own user.
#[cfg(target_os = "linux")]
pub(crate) fn protect() {
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let done = set_dumpable_behavior(DumpableBehavior::NotDumpable).and_then(|()| setrlimit(Resource::Core, none));
    if let Err(error) = done {
        tracing::warn!(%error, "a core dump of this process would show its memory");
    }
}

/// Other systems have settings of their own for this.
#[cfg(not(target_os = "linux"))]
pub(crate) fn protect() {}
