use chrono::{DateTime, Utc};
use domain::{
    InvalidRequest, MerchantAccountId, Refusal, Unprocessable,
    account::{Account, Lifecycle, Provider, Readiness},
    rights::Right,
    text::BoundedText,
};
use ports::{CredentialFault, Credentials, SecretLocation, SecretOf, SetupChange, Tenant};
use zeroize::Zeroizing;

use super::{credentials::compare_credentials, get_account::find_account, setup_change::change_setup};
use crate::{Caller, Error, IdempotentRequest, Ports, Rendered, Response};

/// Request for an account at a provider.
#[derive(Clone, Debug)]
pub struct CreateAccount {
    /// The provider, as sent.
    pub provider: String,
    /// The merchant's own name for the venue.
    pub venue_reference: Option<BoundedText<1, 256>>,
}

/// New credentials of an account. They cannot be printed.
pub struct SetCredentials {
    /// The account, as named in the path.
    pub account: String,
    /// The provider, as sent.
    pub provider: String,
    /// The credentials in the provider's own form.
    pub credentials: Zeroizing<Vec<u8>>,
}

/// How an edge shows an account.
type RenderAccount<'a> = &'a (dyn Fn(&Account, &Readiness) -> Rendered + Send + Sync);

/// Makes an account at a provider.
pub async fn create_merchant_account(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: CreateAccount,
    render: RenderAccount<'_>,
) -> Result<Response, Error> {
    caller.may(Right::AccountsCreate)?;
    let tenant = caller.tenant();
    let id = MerchantAccountId::new(&ports.ids.generate());
    let decision = |setup: &ports::Setup, _, now| {
        let provider = offered(ports, &command.provider)?;
        check_storage(ports)?;
        let venue_reference = command.venue_reference.clone();
        let account = Account { venue_reference, ..new_account(ports, &tenant, &id, provider, now) };
        let readiness = Readiness::assess(&account, setup.profile.as_ref(), &setup.issuer, now);
        let account = account.with_notified(&readiness);
        let rendered = render(&account, &readiness);
        Ok((SetupChange::Account(Box::new(account)), rendered))
    };
    change_setup(ports, caller, request, &decision).await
}

/// Replaces an account's credentials, which are stored sealed.
pub async fn set_account_credentials(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: SetCredentials,
    render: RenderAccount<'_>,
) -> Result<Response, Error> {
    caller.may(Right::CredentialsSet)?;
    let content = check_form(ports, &command)?;
    let tenant = caller.tenant();
    let setup = ports.merchants.setup(&tenant).await?;
    let account = find_account(caller, &setup, &command.account)?;
    let (id, comparison) = (account.id.clone(), compare_credentials(ports, account, &command.credentials).await?);

    let decision = |setup: &ports::Setup, _, now| {
        let provider = offered(ports, &command.provider)?;
        let before = setup.accounts.iter().find(|it| it.id == id);
        let before = before.ok_or_else(|| Error::internal("the account does not exist any more"))?;
        if before.provider != provider {
            return Err(Refusal::at(Unprocessable::MerchantAccountProviderMismatch, "provider").into());
        }
        if let Some(fault) = comparison.fault(before) {
            return Err(refused(fault).into());
        }
        if !comparison.is_about(before) {
            return Err(Error::internal("the credentials changed during the command"));
        }
        let after = with_credentials(ports, before.clone(), content);
        let location = credentials_of(&after);
        let sealed = ports.vault.seal(&location.context(), &command.credentials);
        let sealed = sealed.map_err(|_| Unprocessable::CredentialStorageUnavailable)?;
        let readiness = Readiness::assess(&after, setup.profile.as_ref(), &setup.issuer, now);
        let rendered = render(&after, &readiness);
        Ok((SetupChange::Credentials { to: Box::new(after), sealed }, rendered))
    };
    change_setup(ports, caller, request, &decision).await
}

/// Returns a new account at `provider`. The credentials decide later whether the account has 3-D Secure.
pub(crate) fn new_account(
    ports: &Ports,
    tenant: &Tenant,
    id: &MerchantAccountId,
    provider: Provider,
    now: DateTime<Utc>,
) -> Account {
    let programs = ports.catalog.three_ds_programs(provider);
    Account {
        id: id.clone(),
        merchant: tenant.merchant.clone(),
        mode: tenant.mode,
        provider,
        venue_reference: None,
        lifecycle: Lifecycle::of_new(provider),
        is_mode_enabled: true,
        credential_version: 0,
        currencies: provider.currencies().to_vec(),
        card_brands: ports.catalog.card_brands(provider),
        three_ds_programs: if provider.needs_credentials() { Vec::new() } else { programs },
        wallets: ports.catalog.wallets(provider),
        probe: None,
        notified: None,
        created_at: now,
    }
}

/// Returns the account with new credentials, and with their 3-D Secure programs, if this process can read them.
pub(crate) fn with_credentials(ports: &Ports, account: Account, content: Option<Credentials>) -> Account {
    let account = account.with_new_credentials();
    let three_ds_programs = match content {
        None => account.three_ds_programs.clone(),
        Some(content) => programs(ports, account.provider, content),
    };
    Account { three_ds_programs, ..account }
}

/// Returns the account with the programs that the credentials report. Existing programs stay, even if the catalog
/// lists now.
pub(crate) fn with_reported_programs(ports: &Ports, account: Account, content: Credentials) -> Account {
    if account.three_ds_programs.is_empty() != content.has_3ds {
        return account;
    }
    let three_ds_programs = programs(ports, account.provider, content);
    Account { three_ds_programs, ..account }
}

fn programs(ports: &Ports, provider: Provider, content: Credentials) -> Vec<String> {
    if content.has_3ds { ports.catalog.three_ds_programs(provider) } else { Vec::new() }
}

/// Where the credentials of an account lie, by their present count.
pub(crate) fn credentials_of(account: &Account) -> SecretLocation {
    let tenant = Tenant { merchant: account.merchant.clone(), mode: account.mode };
    SecretLocation { tenant, of: SecretOf::Account(account.id.clone(), account.credential_version) }
}

/// Returns the content of the credentials, if they have the form of their provider; `None` for a provider that is not
/// offered.
fn check_form(ports: &Ports, command: &SetCredentials) -> Result<Option<Credentials>, Refusal> {
    let provider = Provider::from_code(&command.provider).and_then(|it| ports.accounts.get(&it));
    let checked = provider.map(|it| it.check(&command.credentials)).transpose();
    checked.map_err(refused)
}

fn refused(fault: CredentialFault) -> Refusal {
    let at = |code, field| Refusal::at(code, format!("credentials.{field}"));
    match fault {
        CredentialFault::Missing(field) => at(InvalidRequest::ParameterMissing, field),
        CredentialFault::Invalid(field, rule) => at(InvalidRequest::ParameterInvalid, field).with_message(rule),
        CredentialFault::Unknown => Refusal::at(InvalidRequest::ParameterInvalid, "credentials")
            .with_message("One of the properties is none that the provider knows."),
    }
}

/// Returns the provider of that name, if offered by this deployment.
pub(crate) fn offered(ports: &Ports, text: &str) -> Result<Provider, Refusal> {
    let known = Provider::from_code(text).filter(|it| ports.providers.contains_key(it));
    known.ok_or_else(|| Refusal::at(InvalidRequest::ProviderNotAvailable, "provider"))
}

/// Checks that the vault can seal credentials.
fn check_storage(ports: &Ports) -> Result<(), Refusal> {
    let probe = ports.vault.seal("account/probe", b"");
    probe.map(drop).map_err(|_| Unprocessable::CredentialStorageUnavailable.into())
}
