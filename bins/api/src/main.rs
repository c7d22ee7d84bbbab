//! The binary `cobro`: parses the command line, connects adapters to ports and runs.

mod clock;
mod config;
mod developer;
mod doctor;
mod exchanging;
mod failure;
mod ids;
mod known_keys;
mod logs;
mod memory;
mod metered;
mod migrate;
mod operator;
mod probes;
mod sandbox;
mod sending;
mod serve;
mod serving;
mod simulate;
mod stop;
mod stores;
mod text_file;
#[cfg(feature = "otlp")]
mod traces;
mod uses;
mod visitors;
mod wiring;
mod work;

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;
use zeroizing_alloc::ZeroAlloc;

use crate::{
    config::{Arguments, Command, refuse_old_variables},
    failure::Done,
};

/// Freed memory is wiped: buffers of the HTTP and TLS libraries may have contained a card.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match refuse_old_variables() {
        Ok(()) => begin(arguments).await,
        Err(failure) => Err(failure),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("cobro: {failure}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(feature = "otlp")]
async fn begin(arguments: Arguments) -> Done {
    let collector = arguments.otlp_endpoint.as_deref().filter(|it| !it.is_empty());
    let traces = collector.map(traces::Traces::to).transpose()?;
    logs::begin(&arguments.log, arguments.log_format, traces.as_ref().map(traces::Traces::listener));
    rest::log_panics_without_their_message();
    let done = run(arguments.command).await;
    if let Some(traces) = traces {
        traces.end().await;
    }
    done
}

#[cfg(not(feature = "otlp"))]
async fn begin(arguments: Arguments) -> Done {
    logs::begin(&arguments.log, arguments.log_format, None);
    rest::log_panics_without_their_message();
    run(arguments.command).await
}

async fn run(command: Command) -> Done {
    match command {
        Command::Sandbox(options) => sandbox::run(options).await,
        Command::Listen(options) => developer::listen(options).await,
        Command::Trigger(options) => developer::trigger(options).await,
        Command::Serve(options) => serve::run(options).await,
        Command::Work(options) => work::run(options).await,
        Command::Doctor(options) => doctor::run(options).await,
        Command::Migrate(options) => migrate::run(options).await,
        Command::Merchant(command) => operator::merchant(command).await,
        Command::Key(command) => operator::key(command).await,
        Command::Events(command) => operator::events(command).await,
        Command::Account(command) => operator::account(command).await,
        Command::Sequence(command) => operator::sequence(command).await,
        Command::Document(command) => operator::document(command).await,
        Command::Payment(command) => operator::payment(command).await,
        Command::Refund(command) => operator::refund(command).await,
        Command::Rate(command) => operator::rate(command).await,
        Command::Certificate(command) => operator::certificate(command).await,
        Command::Directory(command) => operator::directory(command).await,
        Command::Ecf(command) => operator::ecf(command).await,
        Command::Vault(command) => operator::vault(command).await,
        Command::Simulate(command) => simulate::run(command).await,
    }
}
