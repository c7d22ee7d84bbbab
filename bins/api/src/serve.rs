use std::sync::Arc;

use app::{
    Ports,
    interchange::InterchangeStore,
    operators::{Severity, of_register},
};
use notifications::SystemResolver;
use ports::{Clock, TaxpayerRegister};
use rest::{Limits, Metrics, MonotonicClock, State, TrustedProxies};
use wire::PublicUrls;

use crate::{
    clock::{self, SystemClock},
    config::{Deployment, Listening, ServeOptions},
    exchanging,
    failure::{Context, Done},
    memory,
    metered::metered,
    sending, serving,
    stop::Stop,
    stores::{Stores, wait_for_database},
    visitors,
    wiring::{self, Outside},
};

/// Serves the API and the checkout on PostgreSQL.
pub(crate) async fn run(options: ServeOptions) -> Done {
    memory::protect();
    let stop = Stop::on_signals()?;
    let (mut deployment, listening) = options.settle()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let outside = if options.with_simulators {
        let is_simulated = !deployment.dgii.is_named;
        tracing::warn!(
            authority = is_simulated,
            "simulators stand in for the card provider and the register of taxpayers"
        );
        Outside::simulated(deployment.azul.clone(), deployment.dgii.clone(), &clock)
    } else {
        Outside::real(deployment.azul.clone(), deployment.dgii.connection.clone())
    };
    wait_for_database(&deployment.database_url, &stop).await?;
    let stopwatch = MonotonicClock::default();
    let metrics = Metrics::new(stopwatch.clone()).or_fail("the metrics cannot be created")?;
    let Production { ports, exchange, register } = production(&deployment, outside, clock, &metrics).await?;
    if !options.with_simulators {
        warn_about_register(register, &SystemClock).await;
    }

    let (listener, address) = serving::listen(listening.listen)?;
    let trust = listening.interchange_ca_file.as_deref().map(exchanging::trusted).transpose()?;
    let state = state(&ports, listening, &format!("http://{address}"), (metrics.clone(), stopwatch));
    let uses = state.uses.clone();
    let worker = match options.without_worker {
        true => None,
        false => {
            let dispatcher = sending::dispatcher(&ports, state.urls.clone(), Arc::new(SystemResolver), false)?;
            let post = sending::post(deployment.smtp.take())?;
            Some(Arc::new(sending::with_post(sending::worker(&ports, dispatcher, &metrics), post)))
        }
    };
    let checkout = visitors::checkout(&state, &stop);
    if trust.is_none() {
        tracing::info!("no CA file for taxpayers is set: documents of other taxpayers are not received");
    }
    let receiver = trust.map(|it| exchanging::receiver(&state, exchange, it));
    let pages = move |config: &mut actix_web::web::ServiceConfig| {
        checkout::routes(config, checkout.clone());
        if let Some(receiver) = &receiver {
            ecf_inbox::routes(config, receiver.clone());
        }
    };
    let server = rest::server(state, listener, pages).or_fail("the server cannot be started")?;

    tracing::info!(%address, "serving");
    serving::until_stopped(server, (&ports, &uses), worker, &stop).await
}

/// Ports and stores of `cobro serve`.
pub(crate) struct Production {
    pub(crate) ports: Ports,
    /// Store of documents from other taxpayers.
    exchange: Arc<dyn InterchangeStore>,
    register: Option<Arc<dyn TaxpayerRegister>>,
}

pub(crate) async fn production(
    deployment: &Deployment,
    outside: Outside,
    clock: Arc<dyn Clock>,
    metrics: &Metrics,
) -> Done<Production> {
    let vault = deployment.master_key.vault()?;
    let stores = Stores::postgres(&deployment.database_url).await?.under(&vault).await?;
    let (exchange, register) = (stores.database.clone(), stores.register.clone());
    stores.watch_pool(metrics);
    stores.keep_statistics();
    let ports = wiring::ports(stores, outside, Arc::new(vault), (clock, deployment.catalog.clone()))?;
    let ports = metered(ports, metrics);
    clock::compare(&ports).await;
    Ok(Production { ports, exchange, register })
}

/// Logs a warning if the register of taxpayers cannot confirm buyers, or soon cannot.
async fn warn_about_register(register: Option<Arc<dyn TaxpayerRegister>>, clock: &dyn Clock) {
    let Some(register) = register else { return };
    match register.in_force().await.map(|it| of_register(it, clock.now())) {
        Ok(finding) if finding.severity == Severity::Ok => {}
        Ok(finding) => tracing::warn!("{}", finding.detail),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the register of taxpayers cannot be read")
        }
    }
}

fn state(ports: &Ports, listening: Listening, own_address: &str, (metrics, clock): (Metrics, MonotonicClock)) -> State {
    let public_url = listening.public_url.unwrap_or_else(|| own_address.to_owned());
    let checkout_base_url = listening.checkout_url.unwrap_or_else(|| public_url.clone());
    let proxies = if listening.trusted_proxies.is_empty() {
        tracing::info!("no trusted proxy is named: requests from private addresses are not counted by address");
        TrustedProxies::unknown()
    } else {
        let here = listening.listen.ip().to_canonical();
        if here.is_loopback() && !listening.trusted_proxies.iter().any(|it| it.contains(&here)) {
            tracing::warn!(%here, "no trusted proxy is on this machine, where alone it listens: all clients count as one");
        }
        TrustedProxies::of(listening.trusted_proxies)
    };
    let urls = PublicUrls { checkout_base_url, docs_url: format!("{public_url}/docs") };
    let state = State::new(ports.clone(), urls, Limits::standard(clock), metrics);
    State { allowed_hosts: listening.allowed_hosts, proxies, ..state }
}
