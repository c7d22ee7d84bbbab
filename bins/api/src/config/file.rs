use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use super::variables::{SETTINGS, refuse_old_name};
use crate::{
    failure::{Context, Done, Failure},
    text_file,
};

/// Settings from a file with one `NAME=value` a line, the format that service managers read. Names are those of the
/// environment variables.
#[derive(Debug, Default)]
pub(super) struct SettingsFile(BTreeMap<String, String>);

impl SettingsFile {
    /// Reads the file at `path`. An unknown name is refused: a misspelled setting would have no effect.
    pub(super) fn read(path: &Path) -> Done<Self> {
        let text = text_file::read_text(path)?;
        Self::parse(&text)
            .map_err(|(line, failure)| Failure::new(format!("{}, line {line}: {failure}", path.display())))
    }

    /// Parses `text`. Returns the number of the first invalid line with the reason.
    fn parse(text: &str) -> Result<Self, (usize, Failure)> {
        let lines = (1..).zip(text.lines().map(str::trim));
        let settings = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        settings
            .map(|(number, line)| setting(line).map_err(|failure| (number, failure)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Returns the value of the setting `name`.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns the value of an option, or else of the setting `name`.
    pub(super) fn text(&self, option: Option<&String>, name: &str) -> Option<String> {
        option.map(String::as_str).or(self.get(name)).map(str::to_owned)
    }

    /// Returns the path in an option, or else in the setting `name`.
    pub(super) fn path<'a>(&'a self, option: Option<&'a PathBuf>, name: &str) -> Option<&'a Path> {
        option.map(PathBuf::as_path).or(self.get(name).map(Path::new))
    }

    /// Returns the address in an option, or else in the setting `name`.
    pub(super) fn address(&self, option: Option<SocketAddr>, name: &str) -> Done<Option<SocketAddr>> {
        let setting = || self.get(name).map(str::parse).transpose().or_fail(format!("{name} is no address and port"));
        option.map_or_else(setting, |address| Ok(Some(address)))
    }

    /// Reads the CA certificates in the file that an option names, or else the setting `name`.
    pub(super) fn ca_certificates(&self, option: Option<&PathBuf>, name: &str) -> Done<Option<Vec<u8>>> {
        self.path(option, name).map(|path| text_file::read(path).map(|pem| pem.to_vec())).transpose()
    }
}

fn setting(line: &str) -> Done<(String, String)> {
    let (name, value) = line.split_once('=').map(|(name, value)| (name.trim(), value.trim())).unwrap_or_default();
    refuse_old_name(name)?;
    if !SETTINGS.contains(&name) {
        return Err(Failure::new(format!("NAME=value is expected, with a NAME of {}", SETTINGS.join(", "))));
    }
    Ok((name.to_owned(), unquoted(value).to_owned()))
}

fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_spaces_and_quotes_are_no_part_of_a_value() {
        let file = SettingsFile::parse("# ours\n\nCOBRO_LISTEN = \"[::]:80\"\nCOBRO_DATABASE_URL=a=b\n");

        let file = file.unwrap();
        assert_eq!(file.get("COBRO_LISTEN"), Some("[::]:80"));
        assert_eq!(file.get("COBRO_DATABASE_URL"), Some("a=b"));
        assert_eq!(file.get("COBRO_MASTER_KEY_FILE"), None);
    }

    #[test]
    fn unknown_name_is_refused_with_its_line() {
        let refused_line = |text| SettingsFile::parse(text).unwrap_err().0;

        assert_eq!(refused_line("COBRO_LISTEN=a\nCOBRO_LISTEM=b"), 2);
        assert_eq!(refused_line("\njust words"), 2);
    }

    #[test]
    fn old_name_is_refused_with_the_new_one() {
        let (line, failure) = SettingsFile::parse("COBRO_DGII_AUTHORITIES=/ca.pem").unwrap_err();

        assert_eq!(line, 1);
        assert_eq!(failure.to_string(), "COBRO_DGII_AUTHORITIES was renamed: set COBRO_DGII_CA_FILE instead");
    }
}
