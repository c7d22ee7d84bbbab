//! `cargo xtask commits` as a commit-msg hook.

use std::{env, fs, process};

#[test]
fn message_is_checked_by_its_first_line_that_is_no_comment() {
    let file = env::temp_dir().join(format!("cobro-message-{}", process::id()));
    let check = |message: &str| {
        fs::write(&file, message).unwrap();
        let mut xtask = process::Command::new(env!("CARGO_BIN_EXE_xtask"));
        xtask.args(["commits", "--message", file.to_str().unwrap()]).output().unwrap()
    };

    let accepted = check("# a comment\nwebhooks: retry after Retry-After dates\n\nLong explanation\n");
    let refused = check("Fix the tests\n");

    fs::remove_file(&file).unwrap();
    assert!(accepted.status.success(), "{accepted:?}");
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("Fix the tests: write `area: summary`"), "{refused:?}");
}
