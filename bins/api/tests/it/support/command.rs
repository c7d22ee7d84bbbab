use std::process::Command;

use serde_json::Value;

/// Output and success of a command.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) is_success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// Parses stdout as a line of JSON.
    pub(crate) fn json(&self) -> Value {
        assert!(self.is_success, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns a text field of stdout.
    pub(crate) fn text(&self, field: &str) -> String {
        self.json()[field].as_str().unwrap_or_else(|| panic!("{field} is missing in {self:?}")).to_owned()
    }
}

/// Runs `cobro` with no other variables than `variables`.
pub(crate) fn cobro(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cobro"));
    let output = command.args(arguments).env_clear().envs(variables.iter().copied()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Output { is_success: output.status.success(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}
