//! The commands as such.

use std::process::Command;

#[test]
fn unknown_command_prints_the_usage() {
    for arguments in [&[][..], &["no-such-command"], &["postgres", "too", "much"], &["ecf-tables", "a", "b"]] {
        let answer = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().unwrap();

        assert_eq!(answer.status.code(), Some(2), "{arguments:?}");
        assert!(answer.stdout.is_empty());
        assert!(String::from_utf8_lossy(&answer.stderr).starts_with("usage: cargo xtask"));
    }
}
