//! Checks of a deployment. A check that fails or hangs does not stop the others.

use std::{sync::Arc, time::Duration};

use app::operators::{
    Finding, KeyFault, Severity, TenantSetup, ask_accounts, count_lost, inspect_key, of_accounts, of_certificates,
    of_clocks, of_credit_note_numbers, of_key, of_refunds, of_register, of_sequences, survey,
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

/// Timeout of one check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of a provider for one account: shorter, so that accounts that wait for a slot are checked too.
const ACCOUNT_TIMEOUT: Duration = Duration::from_secs(4);

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
    let (database, store) = check_database(&deployment.database_url).await;
    let stores = store.clone().map(Stores::deployed);
    let surveyed = match &stores {
        Some(Stores { database, .. }) => within("the database", survey(&**database, &**database, &**database)).await,
        None => Err("the database cannot be asked".to_owned()),
    };
    let environments = environments(surveyed.as_deref().unwrap_or_default());
    let ((key, accounts, directory), authority, mail) = tokio::join!(
        check_stores(&deployment, stores.as_ref(), &surveyed),
        check_authority(&deployment, &environments),
        check_mail(smtp),
    );
    let (provider, skew) = accounts;
    let now = SystemClock.now();
    let certificate = or_failed("certificate", surveyed.as_ref().map(|setups| of_certificates(setups, now)));
    let sequences = or_failed("sequences", surveyed.as_ref().map(|setups| of_sequences(setups, now)));
    let notes = or_failed("credit_note_numbers", surveyed.as_ref().map(|setups| of_credit_note_numbers(setups, now)));
    let clock = check_clocks(store.as_ref(), skew).await;
    let mut findings = vec![database, key, clock, certificate, sequences, notes, provider, authority, directory, mail];
    findings.extend(check_refunds(stores.as_ref()).await);
    findings
}

/// Checks the refunds and credit notes that wait.
async fn check_refunds(stores: Option<&Stores>) -> [Finding; 3] {
    let waiting = match stores {
        Some(stores) => within("the database", stores.database.waiting(SystemClock.now())).await,
        None => Err("the database cannot be asked".to_owned()),
    };
    match waiting {
        Ok(waiting) => of_refunds(&waiting, SystemClock.now()),
        Err(why) => ["refunds_in_doubt", "notes_owed", "returns_unattributed"]
            .map(|name| Finding::new(name, Severity::Fail, why.clone())),
    }
}

type Accounts = (Finding, Vec<(Provider, Option<TimeDelta>)>);

/// Checks the master key, the providers and the register of taxpayers, which need the database.
async fn check_stores(
    deployment: &Deployment,
    stores: Option<&Stores>,
    surveyed: &Result<Vec<TenantSetup>, String>,
) -> (Finding, Accounts, Finding) {
    let vault = deployment.master_key.vault();
    let Some(stores) = stores else {
        let unknown = |name| Finding::new(name, Severity::Fail, "the database cannot be asked");
        let key = or_failed("key", vault.map(|_| unknown("key")));
        return (key, (unknown("provider"), Vec::new()), unknown("directory"));
    };
    let key = async {
        match &vault {
            Ok(vault) => match timeout(CHECK_TIMEOUT, check_secrets(stores, vault)).await {
                Ok((inspected, lost)) => of_key(&inspected, lost),
                Err(_) => Finding::new("key", Severity::Fail, "the database did not answer in time"),
            },
            Err(failure) => Finding::new("key", Severity::Fail, failure.to_string()),
        }
    };
    let directory = async {
        let Some(register) = &stores.register else { return of_register(None, SystemClock.now()) };
        let in_force = within("the database", register.in_force()).await;
        or_failed("directory", in_force.map(|as_of| of_register(as_of, SystemClock.now())))
    };
    // A second vault: this one is moved into the ports.
    let accounts = check_accounts(deployment, stores, deployment.master_key.vault().ok(), surveyed);
    tokio::join!(key, accounts, directory)
}

/// Checks the master key and counts secrets that the key cannot open.
async fn check_secrets(stores: &Stores, vault: &Vault) -> (Result<bool, KeyFault>, u64) {
    let inspected = inspect_key(&*stores.database, vault).await;
    if inspected.is_err() {
        return (inspected, 0);
    }
    match count_lost(&*stores.database, (&*stores.database, SystemClock.now()), vault).await {
        Ok(lost) => (inspected, lost),
        Err(unavailable) => (Err(unavailable.into()), 0),
    }
}

/// Checks the credentials of accounts and the clocks of providers.
async fn check_accounts(
    deployment: &Deployment,
    stores: &Stores,
    vault: Option<Vault>,
    surveyed: &Result<Vec<TenantSetup>, String>,
) -> Accounts {
    let checked = async {
        let setups = surveyed.clone()?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let outside = Outside::real(deployment.azul.clone(), deployment.dgii.connection.clone());
        let vault = Arc::new(vault.unwrap_or_else(Vault::sealed));
        let ports = wiring::ports(stores.clone(), outside, vault, (clock, deployment.catalog.clone()));
        let ports = ports.map_err(|failure| failure.to_string())?;
        let survey = ask_accounts(&ports, setups, || sleep(ACCOUNT_TIMEOUT), sleep(CHECK_TIMEOUT)).await;
        let skews = ports.accounts.iter().map(|(provider, account)| (*provider, account.clock_skew())).collect();
        Ok((of_accounts(&survey, SystemClock.now()), skews))
    };
    checked.await.unwrap_or_else(|why: String| (Finding::new("provider", Severity::Fail, why), Vec::new()))
}

/// Checks the database and returns the stores.
async fn check_database(url: &str) -> (Finding, Option<Postgres>) {
    let finding = |severity, detail: String| Finding::new("database", severity, detail);
    let connected = async {
        let store = Postgres::connect(url).await?;
        let (schema, is_current, has_row_security) =
            (store.schema().await?, store.is_current().await?, store.has_row_security().await?);
        Ok::<_, storage::SchemaError>((store, schema, is_current, has_row_security))
    };
    match within("the database", connected).await {
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

async fn check_clocks(store: Option<&Postgres>, providers: Vec<(Provider, Option<TimeDelta>)>) -> Finding {
    let Some(store) = store else { return Finding::new("clock", Severity::Fail, "the database cannot be asked") };
    let now = within("the database", store.now()).await;
    let skew = now.map(|now| now.signed_duration_since(SystemClock.now()));
    let providers = providers.iter().map(|(provider, skew)| (provider.as_str(), *skew));
    or_failed(
        "clock",
        skew.map(|skew| of_clocks(&[("the database", Some(skew))].into_iter().chain(providers).collect::<Vec<_>>())),
    )
}

/// DGII environments of the ranges of numbers.
fn environments(surveyed: &[TenantSetup]) -> Vec<Environment> {
    let mut all: Vec<Environment> = surveyed.iter().map(|it| Environment::of(it.tenant.mode)).collect();
    all.sort();
    all.dedup();
    if all.is_empty() { vec![Environment::PreCertification] } else { all }
}

async fn check_authority(deployment: &Deployment, environments: &[Environment]) -> Finding {
    let checked = async {
        let dgii = Dgii::new(deployment.dgii.connection.clone(), Arc::new(NoSigner), Arc::new(SystemClock));
        let dgii = dgii.or_fail("DGII cannot be reached in this way").map_err(|failure| failure.to_string())?;
        let named = environments.iter().map(|environment| environment.as_str()).collect::<Vec<_>>().join(" and ");
        let check = async {
            for environment in environments {
                dgii.check_connection(*environment).await?;
            }
            Ok::<_, ports::Unavailable>(())
        };
        within("DGII", check).await.map_err(|why| format!("{why} (asked for {named})"))?;
        Ok::<_, String>(Finding::new("authority", Severity::Ok, format!("DGII answers for {named}")))
    };
    or_failed("authority", checked.await)
}

async fn check_mail(server: Option<SmtpOptions>) -> Finding {
    let Some(options) = server else {
        return Finding::new("mail", Severity::Warn, "no mail server is named: mail waits until one is");
    };
    let checked = async {
        let smtp = SmtpMailer::new(options).or_fail("the mail server cannot be used in this way");
        within("the mail server", smtp.map_err(|failure| failure.to_string())?.check()).await
    };
    let greeted = |()| Finding::new("mail", Severity::Ok, "the mail server greets and lets us in");
    or_failed("mail", checked.await.map(greeted))
}

/// Returns the finding, or else a failed check with the reason.
fn or_failed(name: &'static str, checked: Result<Finding, impl ToString>) -> Finding {
    checked.unwrap_or_else(|why| Finding::new(name, Severity::Fail, why.to_string()))
}

/// Waits for a check until the timeout. The error is a sentence about `subject`.
async fn within<T, E: std::error::Error + 'static>(
    subject: &str,
    check: impl Future<Output = Result<T, E>>,
) -> Result<T, String> {
    match timeout(CHECK_TIMEOUT, check).await {
        Ok(result) => result.or_fail(format!("{subject} cannot be used")).map_err(|failure| failure.to_string()),
        Err(_) => Err(format!("{subject} did not answer within {} s", CHECK_TIMEOUT.as_secs())),
    }
}

/// Signs no request: DGII gives a seed to every client.
struct NoSigner;

#[async_trait]
impl TenantSigner for NoSigner {
    async fn sign_for(&self, _: &Tenant, _: String) -> Result<SignedXml, NoSignature> {
        Err(NoSignature::NoCertificate)
    }
}
