//! Headers and body of a request that writes.

use actix_web::{HttpResponse, web::Payload};
use app::{Caller, Error, IdempotentRequest, IfMatch, KeyLeaseHandle, Ports, RenderSale, Response};
use domain::{InvalidRequest, Refusal, refusal::Refused};
use wire::Json;

use crate::{
    body, headers,
    problem::Problem,
    request::{ApiRequest, Effect},
};

/// Fields of a body that the fingerprint excludes: a card number can be guessed from a digest.
const CARD_DATA: &[&str] = &["card", "wallet"];

/// Well-formed request to write.
pub(crate) struct Command<T> {
    /// Idempotency key and fingerprint.
    pub(crate) idempotent: IdempotentRequest,
    /// Parsed body.
    pub(crate) content: T,
    /// `merchant-account` header.
    pub(crate) account: Option<String>,
    /// `provider` header.
    pub(crate) provider: Option<String>,
}

/// Headers of a request to write.
struct CommandHeaders {
    key: String,
    if_match: Option<IfMatch>,
    account: Option<String>,
    provider: Option<String>,
}

impl ApiRequest {
    /// Reads and parses the request. A missing parameter is reported before a malformed one, and a header before the
    /// query and the body.
    pub(crate) async fn command<T>(
        &self,
        payload: Payload,
        parse: impl FnOnce(&Json) -> Result<T, Refusal>,
    ) -> Result<Command<T>, Problem> {
        let headers = self.command_headers();
        if let Err(missing) = &headers
            && is_missing(missing)
        {
            return Err(missing.clone().into());
        }
        let body = self.command_body(payload, parse).await;
        match (headers, body) {
            (Ok(headers), Ok((json, content))) => Ok(self.assemble(headers, &json, content)),
            (Err(_), Err(Problem::App(Error::Refusal(missing)))) if is_missing(&missing) => Err(missing.into()),
            (Err(malformed), _) => Err(malformed.into()),
            (Ok(_), Err(problem)) => Err(problem),
        }
    }

    /// Reads a command and runs it on the payment in the path.
    pub(crate) async fn change_payment<T: 'static>(
        self,
        body: Payload,
        parse: fn(&Json) -> Result<T, Refusal>,
        run: impl AsyncFnOnce(&Ports, &Caller, &IdempotentRequest, &str, T, RenderSale<'_>) -> Result<Response, Error>
        + 'static,
    ) -> Result<HttpResponse, Problem> {
        let Command { idempotent, content, .. } = self.command(body, parse).await?;
        self.run_on_payment(idempotent, async move |ports, caller, request, payment, render| {
            run(ports, caller, request, payment, content, render).await
        })
        .await
    }

    /// Reads and parses the body of a request that changes nothing. A missing parameter is reported first.
    pub(crate) async fn content<T>(
        &self,
        payload: Payload,
        parse: impl FnOnce(&Json) -> Result<T, Refusal>,
    ) -> Result<T, Problem> {
        let query = self.check_no_query();
        match (query, self.command_body(payload, parse).await) {
            (Ok(()), body) => body.map(|(_, content)| content),
            (Err(_), Err(Problem::App(Error::Refusal(missing)))) if is_missing(&missing) => Err(missing.into()),
            (Err(malformed), _) => Err(malformed.into()),
        }
    }

    /// Reads a request that has no body.
    pub(crate) fn deletion(&self) -> Result<IdempotentRequest, Problem> {
        let headers = self.command_headers()?;
        self.check_no_body()?;
        Ok(self.assemble(headers, &Json::Object(Vec::new()), ()).idempotent)
    }

    /// Parses the headers. The idempotency key comes first, because only that header is required.
    fn command_headers(&self) -> Result<CommandHeaders, Refusal> {
        let key = headers::idempotency_key(self.headers())?;
        let if_match = match self.effect() {
            Effect::Change => headers::if_match(self.headers())?,
            Effect::Create | Effect::Read => None,
        };
        let account = headers::optional(self.headers(), "merchant-account")?;
        let provider = headers::optional(self.headers(), "provider")?;
        self.check_no_query()?;
        Ok(CommandHeaders { key, if_match, account, provider })
    }

    async fn command_body<T>(
        &self,
        payload: Payload,
        parse: impl FnOnce(&Json) -> Result<T, Refusal>,
    ) -> Result<(Json, T), Problem> {
        let bytes = body::read(self.headers(), payload).await?;
        self.body_arrived();
        let json = wire::json::read(&bytes)?;
        let content = parse(&json)?;
        Ok((json, content))
    }

    fn assemble<T>(&self, headers: CommandHeaders, json: &Json, content: T) -> Command<T> {
        let fingerprint_input = self.fingerprint_input(&headers, json);
        let CommandHeaders { key, if_match, account, provider } = headers;
        Command {
            idempotent: IdempotentRequest {
                id: self.id().clone(),
                key,
                fingerprint_input,
                if_match,
                lease: KeyLeaseHandle::default(),
            },
            content,
            account,
            provider,
        }
    }

    /// Returns the input of the request's fingerprint, without `If-Match`. Each part follows a length, so that
    /// different requests have different bytes.
    fn fingerprint_input(&self, CommandHeaders { account, provider, .. }: &CommandHeaders, json: &Json) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut append = |part: Option<&[u8]>| {
            bytes.push(u8::from(part.is_some()));
            let part = part.unwrap_or_default();
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part);
        };
        for part in self.target() {
            append(Some(part.as_bytes()));
        }
        append(account.as_deref().map(str::as_bytes));
        append(provider.as_deref().map(str::as_bytes));
        append(Some(&wire::canonical(json, CARD_DATA)));
        bytes
    }
}

fn is_missing(refusal: &Refusal) -> bool {
    refusal.code == Refused::InvalidRequest(InvalidRequest::ParameterMissing)
}
