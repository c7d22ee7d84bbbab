//! What a writing operation is sent with.

use actix_web::web::Payload;
use app::{Error, IdempotentRequest, IfMatch, KeyLeaseHandle};
use domain::{InvalidRequest, Refusal, refusal::Refused};
use wire::Json;

use crate::{body, call::Call, headers, problem::Problem};

/// Fields of a body that its fingerprint does not depend on. A digest of a card number can be
/// guessed back into the number.
const CARD_DATA: &[&str] = &["card", "wallet"];

/// A well-formed request to write.
pub(crate) struct Command<T> {
    /// Its idempotency key.
    pub(crate) keyed: IdempotentRequest,
    /// Its body.
    pub(crate) content: T,
    /// The `merchant-account` header.
    pub(crate) account: Option<String>,
    /// The `provider` header.
    pub(crate) provider: Option<String>,
}

/// Whether a write request supports preconditions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// The request may have `If-Match`.
    Read,
    /// `If-Match` is ignored: the request creates a resource.
    Ignored,
}

/// The headers of a request to write.
struct Head {
    key: String,
    if_match: Option<IfMatch>,
    account: Option<String>,
    provider: Option<String>,
}

impl Call {
    /// Returns the parts of a well-formed request that changes a resource. A missing part is reported before a
    /// malformed one, and a header before the query and the body.
    pub(crate) async fn command<T>(
        &self,
        payload: Payload,
        parse: impl FnOnce(&Json) -> Result<T, Refusal>,
    ) -> Result<Command<T>, Problem> {
        self.read(Condition::Read, payload, parse).await
    }

    /// Like [`command`](Self::command), for a request that creates a resource and ignores `If-Match`.
    pub(crate) async fn creation<T>(
        &self,
        payload: Payload,
        parse: impl FnOnce(&Json) -> Result<T, Refusal>,
    ) -> Result<Command<T>, Problem> {
        self.read(Condition::Ignored, payload, parse).await
    }

    async fn read<T>(
        &self,
        condition: Condition,
        payload: Payload,
        parse: impl FnOnce(&Json) -> Result<T, Refusal>,
    ) -> Result<Command<T>, Problem> {
        let head = self.head(condition);
        if let Err(missing) = &head
            && is_missing(missing)
        {
            return Err(missing.clone().into());
        }
        let body = self.body(payload, parse).await;
        match (head, body) {
            (Ok(head), Ok((json, content))) => Ok(self.whole(head, &json, content)),
            (Err(_), Err(Problem::App(Error::Refusal(missing)))) if is_missing(&missing) => Err(missing.into()),
            (Err(malformed), _) => Err(malformed.into()),
            (Ok(_), Err(problem)) => Err(problem),
        }
    }

    /// What a deletion is sent with: everything but a body.
    pub(crate) fn deletion(&self) -> Result<IdempotentRequest, Problem> {
        let head = self.head(Condition::Read)?;
        self.has_no_body()?;
        Ok(self.whole(head, &Json::Object(Vec::new()), ()).keyed)
    }

    /// What stands before the body. Of all this only the key may be missing, so it comes first.
    fn head(&self, condition: Condition) -> Result<Head, Refusal> {
        let key = headers::idempotency_key(self.headers())?;
        let if_match = match condition {
            Condition::Read => headers::if_match(self.headers())?,
            Condition::Ignored => None,
        };
        let account = headers::name(self.headers(), "merchant-account")?;
        let provider = headers::name(self.headers(), "provider")?;
        self.has_no_query()?;
        Ok(Head { key, if_match, account, provider })
    }

    async fn body<T>(
        &self,
        payload: Payload,
        parse: impl FnOnce(&Json) -> Result<T, Refusal>,
    ) -> Result<(Json, T), Problem> {
        let bytes = body::read(self.headers(), payload).await?;
        self.has_arrived();
        let json = wire::json::read(&bytes)?;
        let content = parse(&json)?;
        Ok((json, content))
    }

    fn whole<T>(&self, head: Head, json: &Json, content: T) -> Command<T> {
        let fingerprint_input = self.fingerprint_input(&head, json);
        let Head { key, if_match, account, provider } = head;
        Command {
            keyed: IdempotentRequest {
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

    /// Returns the input of the request's fingerprint, without `If-Match`. Each part is preceded by its length, so that
    /// different requests have different bytes.
    fn fingerprint_input(&self, Head { account, provider, .. }: &Head, json: &Json) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut append = |part: Option<&[u8]>| {
            bytes.push(u8::from(part.is_some()));
            let part = part.unwrap_or_default();
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part);
        };
        append(Some(self.operation().as_bytes()));
        for segment in self.segments() {
            append(Some(segment.as_bytes()));
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
