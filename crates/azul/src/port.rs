//! AZUL behind the port of card providers.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use async_trait::async_trait;
use bytes::Bytes;
use chrono::TimeDelta;
use domain::{
    MerchantAccountId, Mode,
    fiscal::local_date,
    payment::{Action, DeclineCode},
};
use ports::{
    AccountProvider, AttemptRef, AuthStep, CallOutcome, CardProvider, CardToken, Charge, Clock, CredentialFault,
    Credentials, Hold, LookUp, NotSubmitted, Opening, Probed, ProviderResponse,
};
use zeroize::Zeroizing;

use crate::{
    AccountUnavailable, AzulAccount, AzulAccounts, AzulConnection,
    answer::{Answer, Body},
    classify::{Class, Notice, Verdict, Wire, classify, gateway_number},
    credentials,
    line::Line,
    reading::Unclear,
    record::{HOLD_LIFE, Kind, Record},
    request::{self, Operation},
};

/// For how long a sale can be voided, and a minute less for the way there.
const VOID_WINDOW: TimeDelta = TimeDelta::minutes(19);
/// With this AZUL begins to say that it keeps no such card, also once it has let go of it.
const NO_SUCH_CARD: &str = "DATAVAULT TOKENID DOES NOT EXIST";
/// For how many days back what is to be undone is searched.
const UNDOABLE_DAYS: u64 = 8;

/// AZUL, for every merchant that has an account there.
pub struct Azul {
    accounts: Arc<dyn AzulAccounts>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) line: Line,
    unknown_codes: AtomicU64,
}

impl Azul {
    /// AZUL where `connection` says, for the accounts that `accounts` gives.
    pub fn new(connection: AzulConnection, accounts: Arc<dyn AzulAccounts>, clock: Arc<dyn Clock>) -> Self {
        let line = Line::new(connection, Arc::clone(&clock));
        Self { accounts, clock, line, unknown_codes: AtomicU64::new(0) }
    }
}

#[async_trait]
impl CardProvider for Azul {
    /// AZUL hears of a payment with its card.
    fn needs_opening(&self, _opening: &Opening) -> bool {
        false
    }

    async fn open(&self, _opening: Opening) -> ProviderResponse {
        said(CallOutcome::Opened, None)
    }

    /// How AZUL takes wallets is not documented, so that it is not asked to.
    fn supports_wallets(&self) -> bool {
        false
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        self.purchase(Operation::Sale, charge).await
    }

    async fn continue_authentication(
        &self,
        of: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        let account = match self.account(&of.account).await {
            Ok(account) => account,
            Err(answer) => return answer,
        };
        // AZUL goes on by its own name alone, and gives one with whatever it asks for.
        let Some(order) = reference else { return refused(NotSubmitted::Rejected) };
        let (operation, body) = match &step {
            AuthStep::Looked { is_noticed } => {
                (Operation::ThreeDsMethod, request::looked(&account, &order, *is_noticed))
            }
            AuthStep::Answered { result } => (Operation::ThreeDsChallenge, request::answered(&account, &order, result)),
        };
        self.submit(&of, &account, operation, body, Some(of.attempt.as_str())).await
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        Some(HOLD_LIFE)
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        self.purchase(Operation::Hold, charge).await
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        let account = match self.account(&hold.attempt.account).await {
            Ok(account) => account,
            Err(answer) => return answer,
        };
        let order = match self.order_of(&account, &hold).await {
            Ok(Some(order)) => order,
            Ok(None) => return refused(NotSubmitted::Rejected),
            Err(unclear) => return refused(unclear.refusal()),
        };
        let body = request::post(&account, &order, hold.amount, hold.itbis);
        self.submit(&hold.attempt, &account, Operation::Post, body, None).await
    }

    /// What AZUL knows is asked before: within twenty minutes of a capture a void would take that
    /// back, which nobody has asked for.
    async fn void(&self, hold: Hold) -> ProviderResponse {
        let account = match self.account(&hold.attempt.account).await {
            Ok(account) => account,
            Err(answer) => return answer,
        };
        match self.verify(&account, &hold.attempt, hold.attempt.attempt.as_str()).await {
            Ok(Some(it)) if it.is_approved(Kind::Void) => return said(CallOutcome::Approved, it.order),
            Ok(Some(it)) if it.is_approved(Kind::Post) => return refused(NotSubmitted::Rejected),
            Ok(Some(it)) if it.kind == Kind::Hold && it.class != Class::Approved => {
                return refused(NotSubmitted::Rejected);
            }
            Ok(_) => {}
            Err(unclear) => return refused(unclear.refusal()),
        }
        let order = match self.order_of(&account, &hold).await {
            Ok(Some(order)) => order,
            Ok(None) => return refused(NotSubmitted::Rejected),
            Err(unclear) => return refused(unclear.refusal()),
        };
        self.submit(&hold.attempt, &account, Operation::Void, request::void(&account, &order), None).await
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        match self.account(&attempt.account).await {
            Ok(account) => self.known(&account, &attempt).await.unwrap_or(LookUp::Unknown),
            Err(_) => LookUp::Unknown,
        }
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        let account = match self.account(&attempt.account).await {
            Ok(account) => account,
            Err(answer) => return answer,
        };
        let records = match self.listed(&account, &attempt, UNDOABLE_DAYS).await {
            Ok(records) => records,
            Err(unclear) => return refused(unclear.refusal()),
        };
        let has = |kind| records.iter().find(|it| it.is_approved(kind));
        if let Some(undone) = has(Kind::Void).or(has(Kind::Refund)) {
            return said(CallOutcome::Approved, undone.order.clone());
        }
        match has(Kind::Post).or(has(Kind::Sale)).or(has(Kind::Hold)) {
            Some(approved) => self.undo(&account, &attempt, approved).await,
            None => refused(NotSubmitted::Rejected),
        }
    }

    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool {
        let Ok(known) = self.account(account).await else { return false };
        let Some(body) = request::forget(&known, card) else { return false };
        let Ok(seen) = self.line.ask(account, &known, Operation::Vault, body).await else { return false };
        let Wire::Answered { body: Body::Said(answer), .. } = &seen else { return false };
        // The vault says no more of an approval than its code.
        let is_approved = answer.text("IsoCode") == "00" && !answer.text("ResponseCode").eq_ignore_ascii_case("Error");
        let is_gone = is_approved || answer.text("ErrorDescription").to_ascii_uppercase().starts_with(NO_SUCH_CARD);
        tracing::info!(%account, is_gone, "AZUL was asked to keep a card no more");
        is_gone
    }
}

#[async_trait]
impl AccountProvider for Azul {
    fn check(&self, credentials: &[u8]) -> Result<Credentials, CredentialFault> {
        let account = credentials::read(Mode::Test, 0, credentials)?;
        let usable = self.line.build(&account).map_err(|_| credentials::PAIR);
        usable.map(|_| said_by(&account))
    }

    fn stays(&self, before: &[u8], after: &[u8]) -> Result<(), CredentialFault> {
        credentials::stay(before, after)
    }

    async fn probe(&self, id: &MerchantAccountId) -> Option<Probed> {
        let account = self.accounts.account(id).await.ok()?;
        Some(Probed { said: self.ask_for_readiness(id, &account).await, credentials: said_by(&account) })
    }

    fn unknown_codes(&self) -> u64 {
        self.unknown_codes.load(Ordering::Relaxed)
    }

    fn clock_skew(&self) -> Option<TimeDelta> {
        self.line.told_time().map(|(told, heard)| told.signed_duration_since(heard))
    }
}

impl Azul {
    /// Whether it is too late to void a sale or a capture, so that only a refund undoes it.
    pub(crate) fn is_beyond_void(&self, record: &Record) -> bool {
        self.time_there().signed_duration_since(record.at) > VOID_WINDOW
    }

    async fn purchase(&self, operation: Operation, charge: Charge) -> ProviderResponse {
        let account = match self.account(&charge.attempt.account).await {
            Ok(account) => account,
            Err(answer) => return answer,
        };
        let body = request::purchase(&account, operation, &charge);
        // From here on the card is in the request alone.
        let attempt = charge.attempt.clone();
        drop(charge);
        self.submit(&attempt, &account, operation, body, Some(attempt.attempt.as_str())).await
    }

    async fn undo(&self, account: &AzulAccount, attempt: &AttemptRef, approved: &Record) -> ProviderResponse {
        let Some(order) = &approved.order else { return refused(NotSubmitted::Busy) };
        if approved.kind == Kind::Hold || !self.is_beyond_void(approved) {
            return self.submit(attempt, account, Operation::Void, request::void(account, order), None).await;
        }
        let money = (approved.amount, approved.itbis);
        let body = request::refund(account, order, &attempt.attempt, money, local_date(approved.at));
        let name = request::refund_id(&attempt.attempt);
        self.submit(attempt, account, Operation::Refund, body, Some(&name)).await
    }

    /// AZUL's own name for a hold: as it was told, or else as it is listed.
    async fn order_of(&self, account: &AzulAccount, hold: &Hold) -> Result<Option<String>, Unclear> {
        if hold.reference.is_some() {
            return Ok(hold.reference.clone());
        }
        let records = self.listed(account, &hold.attempt, UNDOABLE_DAYS).await?;
        Ok(records.into_iter().find(|it| it.is_approved(Kind::Hold)).and_then(|it| it.order))
    }

    async fn account(&self, id: &MerchantAccountId) -> Result<Arc<AzulAccount>, ProviderResponse> {
        self.accounts.account(id).await.map_err(|error| {
            tracing::error!(account = %id, %error, "AZUL cannot be asked");
            refused(match error {
                AccountUnavailable::Missing => NotSubmitted::Rejected,
                AccountUnavailable::Sealed => NotSubmitted::Unavailable,
            })
        })
    }

    /// Sends a financial request, once, and says what it came to. `name` is what the answer must call
    /// the transaction, if it calls it anything.
    async fn submit(
        &self,
        of: &AttemptRef,
        account: &AzulAccount,
        operation: Operation,
        body: Option<Bytes>,
        name: Option<&str>,
    ) -> ProviderResponse {
        let Some(body) = body else { return refused(NotSubmitted::Rejected) };
        let seen = match self.line.ask(&of.account, account, operation, body).await {
            Ok(seen) => seen,
            Err(error) => {
                tracing::error!(account = %of.account, %error, "AZUL cannot be asked");
                return refused(NotSubmitted::Rejected);
            }
        };
        let verdict = classify(&seen);
        report(of, operation, &seen, verdict);
        if verdict.notice == Notice::UnknownCode {
            self.unknown_codes.fetch_add(1, Ordering::Relaxed);
        }
        let answer = if let Wire::Answered { body: Body::Said(answer), .. } = &seen { Some(answer) } else { None };
        let told = answer.and_then(|it| it.given("CustomOrderId"));
        if let (Some(name), Some(told)) = (name, told.as_deref())
            && name != told
        {
            tracing::error!(attempt = %of.attempt, "AZUL answered about another transaction");
            return said(CallOutcome::Ambiguous, None);
        }
        let outcome = outcome(verdict.class, answer);
        // An approval counts only if it names both the transaction that was sent and AZUL's number of that transaction.
        let is_about = |name| answer.is_some_and(|it| it.identifies(name));
        if outcome == CallOutcome::Approved && !name.is_none_or(is_about) {
            tracing::error!(attempt = %of.attempt, "AZUL's approval lacks its identifiers: the attempt is verified");
            return said(CallOutcome::Ambiguous, None);
        }
        let is_named =
            matches!(outcome, CallOutcome::Approved | CallOutcome::Declined(_) | CallOutcome::ActionRequired(_));
        let token = answer.filter(|_| outcome == CallOutcome::Approved).and_then(|it| it.given("DataVaultToken"));
        let reference = answer.filter(|_| is_named).and_then(|it| it.given("AzulOrderId"));
        ProviderResponse { token: token.map(|it| CardToken::new(Zeroizing::new(it))), ..said(outcome, reference) }
    }
}

/// What credentials say, apart from what is secret.
fn said_by(account: &AzulAccount) -> Credentials {
    Credentials { has_3ds: account.has_3ds }
}

fn outcome(class: Class, answer: Option<&Answer>) -> CallOutcome {
    match class {
        Class::Approved => CallOutcome::Approved,
        Class::Declined(code) => CallOutcome::Declined(code),
        // Unless somebody goes on with it, nothing is ever authorized.
        Class::MethodAsked | Class::ChallengeAsked => answer
            .and_then(|it| action(class, it))
            .map_or(CallOutcome::Declined(DeclineCode::AuthenticationFailed), CallOutcome::ActionRequired),
        Class::Ambiguous => CallOutcome::Ambiguous,
        Class::Unavailable => CallOutcome::NotSubmitted(NotSubmitted::Unavailable),
        Class::Busy => CallOutcome::NotSubmitted(NotSubmitted::Busy),
        Class::Rejected => CallOutcome::NotSubmitted(NotSubmitted::Rejected),
    }
}

/// What the issuer wants of the browser; `None` if AZUL does not say how.
fn action(class: Class, answer: &Answer) -> Option<Action> {
    if class == Class::MethodAsked {
        return answer.inner("ThreeDSMethod", "MethodForm").map(|form| Action::Method { form });
    }
    let address = answer.inner("ThreeDSChallenge", "RedirectPostUrl").filter(|it| it.starts_with("https://"))?;
    Some(Action::Challenge { address, request: answer.inner("ThreeDSChallenge", "CReq")? })
}

/// Says what an exchange came to, in codes alone: texts of others may show what was sent to them.
fn report(of: &AttemptRef, operation: Operation, seen: &Wire, verdict: Verdict) {
    let nothing = Answer::default();
    let (status, answer) = match seen {
        Wire::Answered { status, body: Body::Said(answer) } => (*status, answer),
        Wire::Answered { status, .. } => (*status, &nothing),
        Wire::NotConnected | Wire::Broken => (0, &nothing),
    };
    let code = |name: &str| answer.text(name).chars().filter(char::is_ascii_alphanumeric).take(10).collect::<String>();
    let (response, iso, gateway) = (code("ResponseCode"), code("IsoCode"), gateway_number(answer));
    let (operation, attempt, account, class) = (operation.as_str(), &of.attempt, &of.account, verdict.class);
    match verdict.notice {
        Notice::Nothing => {
            tracing::info!(operation, %attempt, %account, status, response, iso, gateway, ?class, "AZUL was asked");
        }
        Notice::SeeToIt => {
            tracing::error!(
                operation, %attempt, %account, status, response, iso, gateway, ?class,
                "AZUL finds fault with the account or with what was asked"
            );
        }
        Notice::UnknownCode => {
            tracing::error!(
                operation, %attempt, %account, status, response, iso, gateway, ?class,
                "AZUL answered with a code that is in no table"
            );
        }
    }
}

const fn said(outcome: CallOutcome, reference: Option<String>) -> ProviderResponse {
    ProviderResponse { outcome, reference, token: None }
}

const fn refused(why: NotSubmitted) -> ProviderResponse {
    said(CallOutcome::NotSubmitted(why), None)
}
