use std::path::PathBuf;

use clap::Args;
use dgii::DgiiConnection;

use super::{
    database::DatabaseOptions,
    file::SettingsFile,
    variables::{DGII_CA_FILE, DGII_URLS},
};
use crate::failure::{Context, Done, Failure};

#[derive(Args, Debug)]
pub(crate) struct DgiiOptions {
    /// URL of DGII, and after a comma the URL for summaries if different. Default: DGII's published hosts
    #[arg(long, env = DGII_URLS, value_name = "URLS", hide_env_values = true)]
    dgii_urls: Option<String>,
    /// File of the CA certificates (PEM) to trust for DGII. Default: the system's CA certificates
    #[arg(long, env = DGII_CA_FILE, value_name = "FILE", hide_env_values = true)]
    dgii_ca_file: Option<PathBuf>,
}

/// How DGII is reached.
#[derive(Clone, Debug)]
pub(crate) struct DgiiSettings {
    pub(crate) connection: DgiiConnection,
    /// Whether a setting names the URL. DGII is then not simulated.
    pub(crate) is_named: bool,
}

impl DgiiOptions {
    /// How DGII is reached by a command of an operator.
    pub(crate) fn settle_for(&self, database: &DatabaseOptions) -> Done<DgiiConnection> {
        Ok(self.settle(&database.file()?)?.connection)
    }

    pub(super) fn settle(&self, file: &SettingsFile) -> Done<DgiiSettings> {
        let urls = file.text(self.dgii_urls.as_ref(), DGII_URLS);
        let wrong =
            || Failure::new(format!("{DGII_URLS} is one https address, or two; http is for this machine alone"));
        let located = match &urls {
            Some(text) => hosts(text).ok_or_else(wrong)?,
            None => DgiiConnection::real(),
        };
        let ca_certificates = file.ca_certificates(self.dgii_ca_file.as_ref(), DGII_CA_FILE)?;
        let connection = DgiiConnection { ca_certificates, ..located };
        connection.check().or_fail(format!("{DGII_URLS} or {DGII_CA_FILE} cannot be used"))?;
        Ok(DgiiSettings { connection, is_named: urls.is_some() })
    }
}

fn hosts(text: &str) -> Option<DgiiConnection> {
    let mut urls = text.split(',').map(str::trim);
    let connection = DgiiConnection::to(urls.next().filter(|it| !it.is_empty())?);
    let connection = match urls.next() {
        Some(summaries) => DgiiConnection { summaries: summaries.to_owned(), ..connection },
        None => connection,
    };
    urls.next().is_none().then_some(connection)
}
