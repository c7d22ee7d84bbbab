use std::{collections::BTreeMap, path::Path};

use crate::{
    failure::{Done, Failure},
    text_file,
};

/// Settings from a file: a `NAME=value` a line, under the names that they have in the environment.
/// Service managers read the same form.
#[derive(Debug, Default)]
pub(super) struct SettingsFile(BTreeMap<String, String>);

impl SettingsFile {
    /// The settings in the file at `path`, all of them among `known`: a misspelled name is a
    /// setting that somebody believes in.
    pub(super) fn read(path: &Path, known: &[&str]) -> Done<Self> {
        let text = text_file::read_text(path)?;
        Self::parse(&text, known).map_err(|line| {
            Failure::new(format!("{}, line {line}: NAME=value is expected, of {}", path.display(), known.join(", ")))
        })
    }

    /// The settings in `text`, or the number of the line that is none.
    fn parse(text: &str, known: &[&str]) -> Result<Self, usize> {
        let lines = text.lines().map(str::trim).enumerate();
        let settings = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(index, line)| {
            let (name, value) = line.split_once('=').ok_or(index + 1)?;
            let (name, value) = (name.trim(), unquoted(value.trim()));
            known.contains(&name).then(|| (name.to_owned(), value.to_owned())).ok_or(index + 1)
        });
        settings.collect::<Result<_, _>>().map(Self)
    }

    /// The value of that name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &["COBRO_LISTEN", "COBRO_DATABASE_URL"];

    #[test]
    fn a_settings_file_is_read_as_an_environment_would_be() {
        let file = SettingsFile::parse("# ours\n\nCOBRO_LISTEN = \"[::]:80\"\nCOBRO_DATABASE_URL=a=b\n", KNOWN);

        let file = file.unwrap();
        assert_eq!(file.get("COBRO_LISTEN"), Some("[::]:80"));
        assert_eq!(file.get("COBRO_DATABASE_URL"), Some("a=b"));
        assert_eq!(file.get("COBRO_MASTER_KEY_FILE"), None);
    }

    #[test]
    fn a_name_that_nobody_knows_is_refused_with_its_line() {
        assert_eq!(SettingsFile::parse("COBRO_LISTEN=a\nCOBRO_LISTEM=b", KNOWN).unwrap_err(), 2);
        assert_eq!(SettingsFile::parse("\njust words", KNOWN).unwrap_err(), 2);
    }
}
