/// Protects the memory of a process that handles cards or secrets: no core dumps, and no debuggers of the same user.
#[cfg(target_os = "linux")]
pub(crate) fn protect() {
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let done = set_dumpable_behavior(DumpableBehavior::NotDumpable).and_then(|()| setrlimit(Resource::Core, none));
    if let Err(error) = done {
        tracing::warn!(%error, "a core dump of this process would show its memory");
    }
}

/// Other operating systems have their own settings for this.
#[cfg(not(target_os = "linux"))]
pub(crate) fn protect() {}
