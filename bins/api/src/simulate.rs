//! The simulators as servers, for the tests of other programs.

use std::sync::Arc;

use ports::Clock;
use sandbox::{
    Acquirer, AcquirerProfile, AcquirerService, AcquirerTls, Authority, AuthorityBehavior, AuthorityService, Faults,
    LookupFormat, MovableClock, Schemas, Xmlsec,
};
use serde_json::json;

use crate::{
    config::{AcquirerOptions, AuthorityOptions, Grant, SimulateCommand},
    failure::{Context, Done, Failure},
    operator::print,
    stop::Stop,
    text_file,
};

/// Runs a simulator until the shutdown signal.
pub(crate) async fn run(command: SimulateCommand) -> Done {
    match command {
        SimulateCommand::Acquirer(options) => acquirer(options).await,
        SimulateCommand::Authority(options) => authority(options).await,
    }
}

async fn acquirer(options: AcquirerOptions) -> Done {
    let stop = Stop::on_signals()?;
    let clock = Arc::new(MovableClock::new());
    let (shown, faults) = (Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(Faults::default()));
    let acquirer = match &options.journal {
        Some(path) => Acquirer::open(path, shown, faults).or_fail(format!("{} cannot be used", path.display()))?,
        None => Acquirer::in_memory(shown, faults),
    };
    let profile = AcquirerProfile {
        store: options.store.clone(),
        channel: "EC".to_owned(),
        auth1: options.auth1.clone(),
        auth2: options.auth2.clone(),
        certificate_serial: options.client_serial.as_ref().map(|it| it.to_ascii_lowercase()),
        may_hold: true,
        may_store_cards: true,
        has_3ds: true,
        is_disabled: false,
    };
    let tls = tls(&options)?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let service = AcquirerService {
        listen: options.listen,
        profiles: vec![profile.clone()],
        tls,
        keeps_connections: true,
        lookup_format: if options.observed_spelling { LookupFormat::Production } else { LookupFormat::Documented },
        clock: Some(clock),
    };
    let listening = acquirer.listen(service).await.or_fail("the acquirer cannot be started")?;

    let address = listening.address();
    tracing::info!(%address, "the acquirer is ready");
    print(&json!({
        "url": format!("{scheme}://{address}/WebServices/JSON/Default.aspx"),
        "controlUrl": format!("{scheme}://{address}/simulator/"),
        "store": profile.store,
        "channel": profile.channel,
        "auth1": profile.auth1,
        "auth2": profile.auth2,
    }))?;
    stop.requested().await;
    Ok(())
}

async fn authority(options: AuthorityOptions) -> Done {
    let stop = Stop::on_signals()?;
    let judge = Xmlsec::find();
    let judge = judge.ok_or_else(|| Failure::new("signatures are verified by xmlsec1, which is not installed"))?;
    let judge = Arc::new(judge);
    let clock = Arc::new(MovableClock::new());
    let (shown, faults) = (Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(Faults::default()));
    let authority = match &options.journal {
        Some(path) => {
            Authority::open(path, judge, shown, faults).or_fail(format!("{} cannot be used", path.display()))?
        }
        None => Authority::in_memory(judge, shown, faults),
    };
    let authority = match &options.schemas {
        Some(folder) => authority.with_schemas(Schemas::at(folder).or_fail("the schemas cannot be used")?),
        None => authority,
    };
    for Grant { issuer, environment, kind, first, last } in &options.grant {
        authority.grant(issuer, *environment, *kind, *first, *last);
    }
    let behavior = AuthorityBehavior {
        is_down: options.down,
        delay_milliseconds: options.delay,
        in_process: options.in_process,
        loses_answers: options.lose_responses,
        ..AuthorityBehavior::default()
    };
    let service = AuthorityService { listen: options.listen, keeps_connections: true, behavior, clock: Some(clock) };
    let listening = authority.listen(service).await.or_fail("the authority cannot be reached")?;

    let address = listening.address();
    tracing::info!(%address, "the authority is ready");
    print(&json!({
        "url": format!("http://{address}"),
        "controlUrl": format!("http://{address}/simulator/"),
        "validatesSchemas": options.schemas.is_some(),
    }))?;
    stop.requested().await;
    Ok(())
}

fn tls(options: &AcquirerOptions) -> Done<Option<AcquirerTls>> {
    let (Some(certificates), Some(key)) = (&options.tls_certificate, &options.tls_key) else { return Ok(None) };
    Ok(Some(AcquirerTls {
        certificates: text_file::bytes(certificates)?.to_vec(),
        key: text_file::bytes(key)?.to_vec(),
        client_ca: options
            .client_ca_file
            .as_deref()
            .map(|path| text_file::bytes(path).map(|pem| pem.to_vec()))
            .transpose()?,
    }))
}
