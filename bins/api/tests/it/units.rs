//! The systemd units: both roles are hardened.

use std::{fs, path::Path, process::Command};

#[test]
fn the_units_are_hardened_and_restart() {
    for role in ["serve", "work"] {
        let unit = format!("{}/../../deploy/systemd/cobro-{role}.service", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(Path::new(&unit)).unwrap();
        for line in ["Restart=always", "RestartSec=2s", "StartLimitIntervalSec=0", "LimitCORE=0", "TimeoutStopSec=40s"]
        {
            assert!(text.lines().any(|it| it == line), "{line} is missing in {unit}");
        }
        assert!(
            text.contains(&format!("ExecStart=/usr/local/bin/cobro {role} --config /etc/cobro/serve.conf")),
            "{text}"
        );

        let analysed =
            Command::new("systemd-analyze").args(["security", "--offline=true", "--no-pager", &unit]).output();
        let analysed = analysed.expect("systemd-analyze is installed (Debian package `systemd`)");
        let report = String::from_utf8_lossy(&analysed.stdout).into_owned();
        let (_, level) = report.split_once("Overall exposure level for ").unwrap_or_else(|| panic!("{analysed:?}"));
        let level: f64 = level.split_whitespace().nth(1).and_then(|it| it.parse().ok()).unwrap();
        assert!(level < 2.0, "{unit} is exposed at {level}");
    }
}
