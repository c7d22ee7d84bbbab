//! The interface as its clients meet it: a sandbox is started, and asked by tools and programs that are not ours.

mod browser;
mod contract;
mod examples;
mod generators;
mod sandbox;
mod tools;
mod typescript;
mod webhooks;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Done, steps::Steps};
use sandbox::Sandbox;

/// Runs programs on generated types and clients, the example programs of the documentation, payers in a browser, and
/// every case of the contract. The tools are installed below the target folder.
pub(crate) fn check(steps: &mut Steps) -> Done {
    let place = Place::find()?;
    tools::node(steps, &place, "typescript")?;
    tools::node(steps, &place, "browser")?;
    tools::node(steps, &place, "generators")?;
    let python = tools::python(steps, &place, "schemathesis")?;
    let generating = tools::python(steps, &place, "generators")?;
    generators::lint(steps, &place)?;
    // Those who count what is there come first: the cases of the contract leave things behind.
    let sandbox = Sandbox::start(&place)?;
    let told = ask(steps, &place, &sandbox, &python)
        .and_then(|()| generators::check(steps, &place, &sandbox, &generating))
        .and_then(|()| contract::check(steps, &place, &sandbox, &python));
    sandbox.unless(told)?;
    // The clock of this sandbox moves by years, so no other test uses it.
    let sandbox = Sandbox::start(&place)?;
    let held = examples::hold(steps, &place, &sandbox);
    sandbox.unless(held)
}

/// Pictures of what payers see in every state, in a folder below the target folder.
pub(crate) fn screenshots(steps: &mut Steps) -> Done {
    let place = Place::find()?;
    tools::node(steps, &place, "browser")?;
    let sandbox = Sandbox::start(&place)?;
    let shot = browser::shoot(steps, &place, &sandbox);
    sandbox.unless(shot)
}

/// What the payment page of the server at `url` is like in a browser: its weight, its peace and its pace.
pub(crate) fn measure_page(url: &str, key: &str) -> Done<String> {
    let place = Place::find()?;
    tools::node(&mut Steps::begin(), &place, "browser")?;
    browser::measure(&place, url, key)
}

fn ask(steps: &mut Steps, place: &Place, sandbox: &Sandbox, python: &Path) -> Done {
    typescript::check(steps, place, sandbox)?;
    examples::check(steps, place, sandbox)?;
    webhooks::check(steps, place, sandbox, python)?;
    browser::check(steps, place, sandbox)
}

/// Where things are.
struct Place {
    /// The workspace.
    root: PathBuf,
    /// The program that is tested.
    cobro: PathBuf,
    /// The receiver of events that is written in Rust.
    receiver: PathBuf,
    /// Ours, below the target folder.
    folder: PathBuf,
}

impl Place {
    /// `cobro` stands beside this very program, and examples below it: all are built into one folder.
    fn find() -> Done<Self> {
        let own = env::current_exe()?;
        let built = own.parent().ok_or("this program is in no folder")?;
        let target = built.parent().ok_or("the target folder is nowhere")?;
        let folder = target.join("clients");
        fs::create_dir_all(&folder)?;
        let root = fs::canonicalize(crate::root())?;
        Ok(Self { root, cobro: built.join("cobro"), receiver: built.join("examples/webhooks"), folder })
    }

    /// The published OpenAPI document.
    fn document(&self) -> PathBuf {
        self.root.join("docs/generated/openapi.json")
    }

    /// A file of the workspace.
    fn fixture(&self, path: &str) -> PathBuf {
        self.root.join("fixtures").join(path)
    }
}

/// The command, told where the sandbox is.
fn told(mut command: Command, sandbox: &Sandbox) -> Command {
    for (name, field) in [
        ("COBRO_URL", "baseUrl"),
        ("COBRO_KEY", "merchantApiKey"),
        ("COBRO_ADMIN_KEY", "adminApiKey"),
        ("COBRO_RESTRICTED_KEY", "restrictedApiKey"),
        ("COBRO_LIVE_KEY", "liveApiKey"),
        ("COBRO_MERCHANT_ACCOUNT", "merchantAccountId"),
    ] {
        command.env(name, sandbox.field(field));
    }
    // A proxy of this machine's knows nothing of its own ports.
    command.env("no_proxy", "127.0.0.1").env("NO_PROXY", "127.0.0.1").env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
