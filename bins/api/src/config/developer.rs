use std::path::PathBuf;

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use domain::{EventKind, webhook::EndpointUrl};
use reqwest::Url;

/// Which sandbox is meant.
#[derive(Args, Debug)]
pub(crate) struct SandboxPlace {
    /// Base URL of the sandbox, from the ready line
    #[arg(long, default_value = "http://127.0.0.1:8080", value_name = "URL", value_parser = base)]
    pub(crate) sandbox: Url,
    /// Data folder of the sandbox
    #[arg(long, default_value = ".cobro", value_name = "FOLDER")]
    pub(crate) data_dir: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct ListenOptions {
    #[command(flatten)]
    pub(crate) place: SandboxPlace,
    /// Target URL of the events, such as http://localhost:3000/webhooks
    #[arg(long, value_name = "URL", value_parser = receiver)]
    pub(crate) forward_to: EndpointUrl,
}

#[derive(Args, Debug)]
pub(crate) struct TriggerOptions {
    #[command(flatten)]
    pub(crate) place: SandboxPlace,
    /// Events to cause, in order, such as payment.succeeded
    #[arg(required = true, value_name = "KIND", hide_possible_values = true, value_parser = kinds())]
    pub(crate) kinds: Vec<EventKind>,
}

fn kinds() -> impl TypedValueParser<Value = EventKind> {
    let spelled = PossibleValuesParser::new(EventKind::ALL.iter().map(|it| it.as_str()));
    spelled.try_map(|it| EventKind::from_code(&it).ok_or("there is no such kind"))
}

fn base(text: &str) -> Result<Url, &'static str> {
    address(text).ok_or("an address is expected, as in http://127.0.0.1:8080")
}

fn receiver(text: &str) -> Result<EndpointUrl, &'static str> {
    let known = address(text).and_then(|it| EndpointUrl::parse(it.as_str()));
    known.ok_or("an address is expected, as in http://localhost:3000/webhooks")
}

fn address(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|it| matches!(it.scheme(), "http" | "https") && it.has_host())
}
