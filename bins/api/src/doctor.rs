//! Checks of a deployment. A check that fails or hangs does not stop the others.

use std::{sync::Arc, time::Duration};

use app::operators::{
    Finding, KeyFault, Severity, TenantSetup, ask_accounts, count_lost, inspect_key, of_accounts, of_certificates,
    of_clocks, of_key, of_register, of_sequences, survey,
};
use async_trait::async_trait;
use chrono::TimeDelta;
use dgii::Dgii;
use domain::{account::Provider, fiscal::Environment};
use notifications::{SmtpMailer, SmtpOptions};
use ports::{Clock, NoSignature, SignedXml, Tenant, TenantSigner};
use serde_json::json;
use storage::Postgres;
use tokio::time::{sleep, timeout};
use vault::Vault;

use crate::{
    clock::SystemClock,
    config::{Deployment, DoctorOptions},
    failure::{Context, Done, Failure},
    operator::{print, print_line},
    stores::Stores,
    wiring::{self, Outside},
};

/// How long each may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a provider may take for one account: less, so that accounts that wait for a place are asked about, too.
const OF_ONE: Duration = Duration::from_secs(4);

pub(crate) async fn run(options: DoctorOptions) -> Done {
    let findings = examine(options.settle()?).await;
    let failed = findings.iter().filter(|it| it.severity == Severity::Fail).count();
    if options.json {
        let check = |it: &Finding| json!({ "name": it.name, "status": it.severity.as_str(), "detail": it.detail });
        print(&json!({ "ok": failed == 0, "checks": findings.iter().map(check).collect::<Vec<_>>() }))?;
    } else {
        for Finding { name, severity, detail } in &findings {
            print_line(&format!("{} {name}: {detail}", severity.as_str()))?;
        }
    }
    if failed == 0 { Ok(()) } else { Err(Failure::new(format!("{failed} of {} checks failed", findings.len()))) }
}

async fn examine(mut deployment: Deployment) -> Vec<Finding> {
    let smtp = deployment.smtp.take();
    let (database, store) = look_at_database(&deployment.database_url).await;
    let stores = store.clone().map(Stores::deployed);
    let surveyed = match &stores {
        Some(it) => within("the database", survey(&*it.registry, &*it.merchants, &*it.ledger)).await,
        None => Err("the database cannot be asked".to_owned()),
    };
    let environments = environments(surveyed.as_deref().unwrap_or_default());
    let ((key, accounts, directory), authority, mail) = tokio::join!(
        of_stores(&deployment, stores.as_ref(), &surveyed),
        look_at_authority(&deployment, &environments),
        look_at_mail(smtp),
    );
    let (provider, skew) = accounts;
    let now = SystemClock.now();
    let told = |name, finding: fn(&[TenantSetup], chrono::DateTime<chrono::Utc>) -> Finding| match &surveyed {
        Ok(surveyed) => finding(surveyed, now),
        Err(why) => Finding::new(name, Severity::Fail, why),
    };
    let certificate = told("certificate", of_certificates);
    let sequences = told("sequences", of_sequences);
    let clock = look_at_clock(store.as_ref(), skew).await;
    vec![database, key, clock, certificate, sequences, provider, authority, directory, mail]
}

type Accounts = (Finding, Vec<(Provider, Option<TimeDelta>)>);

/// Checks that need the database: master key, providers, register of taxpayers.
async fn of_stores(
    deployment: &Deployment,
    stores: Option<&Stores>,
    surveyed: &Result<Vec<TenantSetup>, String>,
) -> (Finding, Accounts, Finding) {
    let vault = deployment.master_key.vault();
    let Some(stores) = stores else {
        let unknown = |name| Finding::new(name, Severity::Fail, "the database cannot be asked");
        let key = match &vault {
            Ok(_) => unknown("key"),
            Err(failure) => Finding::new("key", Severity::Fail, failure.to_string()),
        };
        return (key, (unknown("provider"), Vec::new()), unknown("directory"));
    };
    let key = async {
        match &vault {
            Ok(vault) => match timeout(PATIENCE, look_at_secrets(stores, vault)).await {
                Ok((looked, lost)) => of_key(&looked, lost),
                Err(_) => Finding::new("key", Severity::Fail, "the database did not answer in time"),
            },
            Err(failure) => Finding::new("key", Severity::Fail, failure.to_string()),
        }
    };
    let directory = async {
        let Some(register) = &stores.register else { return of_register(None, SystemClock.now()) };
        match within("the database", register.in_force()).await {
            Ok(in_force) => of_register(in_force, SystemClock.now()),
            Err(why) => Finding::new("directory", Severity::Fail, why),
        }
    };
    // Another vault than that of the deployment, since one of two may be given away.
    let accounts = announce_readiness(deployment, stores, deployment.master_key.vault().ok(), surveyed);
    tokio::join!(key, accounts, directory)
}

/// Checks the master key and counts secrets that the key cannot open.
async fn look_at_secrets(stores: &Stores, vault: &Vault) -> (Result<bool, KeyFault>, u64) {
    let looked = inspect_key(&*stores.secrets, vault).await;
    if looked.is_err() {
        return (looked, 0);
    }
    match count_lost(&*stores.secrets, (&*stores.merchants, SystemClock.now()), vault).await {
        Ok(lost) => (looked, lost),
        Err(unavailable) => (Err(unavailable.into()), 0),
    }
}

/// Checks the credentials of accounts and the clocks of providers.
async fn announce_readiness(
    deployment: &Deployment,
    stores: &Stores,
    vault: Option<Vault>,
    surveyed: &Result<Vec<TenantSetup>, String>,
) -> Accounts {
    let failed = |why: String| (Finding::new("provider", Severity::Fail, why), Vec::new());
    let surveyed = match surveyed {
        Ok(surveyed) => surveyed.clone(),
        Err(why) => return failed(why.clone()),
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let outside = Outside::real(deployment.azul.clone(), deployment.dgii.connection.clone());
    let vault = Arc::new(vault.unwrap_or_else(Vault::sealed));
    let ports = match wiring::ports(stores.clone(), outside, vault, (clock, deployment.catalog.clone())) {
        Ok(ports) => ports,
        Err(failure) => return failed(failure.to_string()),
    };
    let asked = ask_accounts(&ports, surveyed, || sleep(OF_ONE), sleep(PATIENCE)).await;
    let skews = ports.accounts.iter().map(|(provider, it)| (*provider, it.clock_skew())).collect();
    (of_accounts(&asked, SystemClock.now()), skews)
}

/// Checks the database and returns the stores.
async fn look_at_database(url: &str) -> (Finding, Option<Postgres>) {
    let finding = |severity, detail: String| Finding::new("database", severity, detail);
    let looked = async {
        let store = Postgres::connect(url).await?;
        let (schema, is_current, is_held) =
            (store.schema().await?, store.is_current().await?, store.has_row_security().await?);
        Ok::<_, storage::SchemaError>((store, schema, is_current, is_held))
    };
    match within("the database", looked).await {
        Err(why) => (finding(Severity::Fail, why), None),
        Ok((_, (applied, needed), false, _)) => {
            let applied = applied.unwrap_or_else(|| "none".to_owned());
            let why = format!("it has schema {applied}, and {needed} is needed: run `cobro migrate` first");
            (finding(Severity::Fail, why), None)
        }
        Ok((store, (applied, _), true, false)) => {
            let applied = applied.unwrap_or_default();
            let why = format!("it answers, with schema {applied}; its role is above row security: use a plain role");
            (finding(Severity::Warn, why), Some(store))
        }
        Ok((store, (applied, _), true, true)) => {
            (finding(Severity::Ok, format!("it answers, with schema {}", applied.unwrap_or_default())), Some(store))
        }
    }
}

async fn look_at_clock(store: Option<&Postgres>, providers: Vec<(Provider, Option<TimeDelta>)>) -> Finding {
    let Some(store) = store else { return Finding::new("clock", Severity::Fail, "the database cannot be asked") };
    match within("the database", store.now()).await {
        Ok(now) => {
            let skew = now.signed_duration_since(SystemClock.now());
            let mut clocks = vec![("the database", Some(skew))];
            clocks.extend(providers.iter().map(|(provider, skew)| (provider.as_str(), *skew)));
            of_clocks(&clocks)
        }
        Err(why) => Finding::new("clock", Severity::Fail, why),
    }
}

/// DGII environments of the ranges of numbers.
fn environments(surveyed: &[TenantSetup]) -> Vec<Environment> {
    let mut all: Vec<Environment> = surveyed.iter().map(|it| Environment::of(it.tenant.mode)).collect();
    all.sort();
    all.dedup();
    if all.is_empty() { vec![Environment::PreCertification] } else { all }
}

async fn look_at_authority(deployment: &Deployment, environments: &[Environment]) -> Finding {
    let finding = |severity, detail: String| Finding::new("authority", severity, detail);
    let dgii = Dgii::new(deployment.dgii.connection.clone(), Arc::new(Nobody), Arc::new(SystemClock));
    let dgii = match dgii.or_fail("DGII cannot be reached in this way") {
        Ok(dgii) => dgii,
        Err(failure) => return finding(Severity::Fail, failure.to_string()),
    };
    let asked = async {
        for environment in environments {
            dgii.check_connection(*environment).await?;
        }
        Ok::<_, ports::Unavailable>(())
    };
    let named = environments.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(" and ");
    match within("DGII", asked).await {
        Ok(()) => finding(Severity::Ok, format!("DGII answers for {named}")),
        Err(why) => finding(Severity::Fail, format!("{why} (asked for {named})")),
    }
}

async fn look_at_mail(server: Option<SmtpOptions>) -> Finding {
    let finding = |severity, detail: String| Finding::new("mail", severity, detail);
    let Some(options) = server else {
        return finding(Severity::Warn, "no mail server is named: mail waits until one is".to_owned());
    };
    let smtp = match SmtpMailer::new(options).or_fail("the mail server cannot be used in this way") {
        Ok(smtp) => smtp,
        Err(failure) => return finding(Severity::Fail, failure.to_string()),
    };
    match within("the mail server", smtp.check()).await {
        Ok(()) => finding(Severity::Ok, "the mail server greets and lets us in".to_owned()),
        Err(why) => finding(Severity::Fail, why),
    }
}

/// Outcome of a check in a sentence.
async fn within<T, E: std::error::Error + 'static>(
    whom: &str,
    asked: impl Future<Output = Result<T, E>>,
) -> Result<T, String> {
    match timeout(PATIENCE, asked).await {
        Ok(answered) => answered.or_fail(format!("{whom} cannot be used")).map_err(|failure| failure.to_string()),
        Err(_) => Err(format!("{whom} did not answer within {} s", PATIENCE.as_secs())),
    }
}

/// Signs no request: DGII gives a seed to every client.
struct Nobody;

#[async_trait]
impl TenantSigner for Nobody {
    async fn sign_for(&self, _: &Tenant, _: String) -> Result<SignedXml, NoSignature> {
        Err(NoSignature::NoCertificate)
    }
}
