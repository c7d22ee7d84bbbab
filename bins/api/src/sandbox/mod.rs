//! The product with simulators, in one data folder.

mod control;
mod data;
mod demo;
mod names;
mod ready;
mod world;

use std::{net::SocketAddr, sync::Arc};

use actix_web::web::ServiceConfig;
use app::{Ports, interchange::InterchangeStore, operators::check_key};
use domain::catalog::Catalog;
use notifications::SystemResolver;
use rest::{Limits, Metrics, MonotonicClock, State, TrustedProxies};
use sandbox::FaultyArtifactStore;
use wire::PublicUrls;

pub(crate) use self::demo::Demo;
use self::{control::Control, data::DataFolder, names::FailFastResolver, world::World};
use crate::{
    clock,
    config::SandboxOptions,
    exchanging,
    failure::{Context, Done},
    memory,
    metered::metered,
    sending, serving,
    stop::Stop,
    stores::{Stores, wait_for_database},
    visitors, wiring,
};

/// Runs the sandbox until the shutdown signal.
pub(crate) async fn run(options: SandboxOptions) -> Done {
    memory::protect();
    let stop = Stop::on_signals()?;
    let data = DataFolder::open(&options.data_dir)?;
    let (listener, address) = serving::listen(options.listen)?;
    let base_url = format!("http://{address}");
    let world = World::open(&data, &format!("{base_url}{}", control::PATH))?;
    if let Some(url) = &options.database_url {
        wait_for_database(url, &stop).await?;
    }
    let clock = MonotonicClock::default();
    let metrics = Metrics::new(clock.clone()).or_fail("the metrics cannot be created")?;
    let (ports, exchange) = ports(&options, &data, &world, &metrics).await?;
    clock::compare(&ports).await;
    let demo = Demo::ready(&ports, &data).await?;
    world.grant(&demo.ranges(&ports).await?);

    let urls = PublicUrls { checkout_base_url: base_url.clone(), docs_url: format!("{base_url}/docs") };
    let limits = options.rate_limit.map_or_else(Limits::sandbox, |per_second| Limits::sandbox_with(per_second, clock));
    let state = State {
        allowed_hosts: hosts(address),
        allows_private_webhooks: options.allow_private_webhooks,
        proxies: TrustedProxies::none(),
        ..State::new(ports.clone(), urls.clone(), limits, metrics.clone())
    };
    let uses = state.uses.clone();
    let names = Arc::new(FailFastResolver::new(SystemResolver));
    let dispatcher = sending::dispatcher(&ports, urls.clone(), names, options.allow_private_webhooks)?;
    let worker = sending::worker(&ports, dispatcher, &metrics).with_email(sending::post_by(world.mail.clone()));
    let worker = Arc::new(worker);
    let checkout = visitors::checkout(&state, &stop);
    let receiver = exchanging::receiver(&state, exchange, Arc::new(exchanging::AnySignatory));
    let control = Control { world, ports: ports.clone(), demo: demo.tenant()?, worker: worker.clone() };
    let pages = move |config: &mut ServiceConfig| {
        checkout::routes(config, checkout.clone());
        ecf_inbox::routes(config, receiver.clone());
        control::routes(config, control.clone());
    };
    let server = rest::server(state, listener, pages).or_fail("the server cannot be started")?;

    tracing::info!(%address, data = %options.data_dir.display(), "the sandbox is ready");
    ready::print(&base_url, &demo)?;
    serving::until_stopped(server, (&ports, &uses), Some(worker), &stop).await
}

/// Accepted host names. A sandbox on a loopback address accepts only loopback names, against DNS
/// rebinding.
fn hosts(address: SocketAddr) -> Vec<String> {
    let own = address.ip().to_canonical();
    let names: &[&str] = if own.is_loopback() { &["127.0.0.1", "localhost", "[::1]"] } else { &[] };
    names.iter().map(|&it| it.to_owned()).collect()
}

async fn ports(
    options: &SandboxOptions,
    data: &DataFolder,
    world: &World,
    metrics: &Metrics,
) -> Done<(Ports, Arc<dyn InterchangeStore>)> {
    let stores = match &options.database_url {
        Some(url) => Stores::migrated_postgres(url).await?,
        None => Stores::embedded(&data.database()?).await?,
    };
    let artifacts = Arc::new(FaultyArtifactStore::new(stores.artifacts, world.faults.clone()));
    let stores = Stores { artifacts, ..stores };
    let exchange = stores.database.clone();
    stores.watch_pool(metrics);
    stores.keep_statistics();
    let vault = Arc::new(data.vault()?);
    let under = "the data folder has another key than the one that the database was begun with";
    check_key(&*stores.database, &*vault).await.or_fail(under)?;
    let ports = wiring::ports(stores, world.outside(), vault, (world.clock.clone(), Catalog::default()))?;
    Ok((metered(ports, metrics), exchange))
}
