//! Values of responses: each serializes in the published form and has the schema of that form.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use domain::{id::Identifier, text::BoundedText};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::{
    code::{Code, codes},
    schema,
};

/// Instant in RFC 3339, in UTC, always with three decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp(DateTime<Utc>);

/// Calendar day, `YYYY-MM-DD`.
#[derive(Clone, Copy)]
pub(super) struct Date(NaiveDate);

/// Text of `MIN` to `MAX` characters.
#[derive(Clone, Copy)]
pub(super) struct Text<'a, const MIN: usize, const MAX: usize>(&'a str);

/// Published code of an enumeration.
#[derive(Clone, Copy)]
pub(super) struct Coded<T>(T);

/// Published code of an enumeration that may gain values. Clients must tolerate unknown codes.
#[derive(Clone, Copy)]
pub(super) struct OpenCode<T>(T);

/// Prefixed identifier.
#[derive(Clone, Copy)]
pub(super) struct Id<'a, T>(&'a T);

/// Implements serialization as text and the inline schema of types.
macro_rules! values {
    ($([$($generics:tt)*] $type:ty = |$value:pat_param| $text:expr, $schema:expr;)+) => { $(
        impl<$($generics)*> Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $value = self;
                serializer.serialize_str(AsRef::<str>::as_ref(&$text))
            }
        }

        impl<$($generics)*> JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                std::any::type_name::<Self>().into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema.try_into().expect("a schema is an object")
            }
        }
    )+ };
}

/// Declares constants of responses: types that serialize as one text.
macro_rules! constants {
    ($($name:ident = $text:literal;)+) => {
        $(pub(super) struct $name;)+

        values! { $([] $name = |_| $text, schema::only($text);)+ }
    };
}

constants! {
    ApiVersion = "v1";
    CentralGovernment = "central_government";
    CheckoutTokenObject = "checkout_token";
    EventObject = "event";
    FiscalDocumentObject = "fiscal_document";
    LegalTip = "propina_legal";
    ListObject = "list";
    MerchantAccountObject = "merchant_account";
    MerchantProfileObject = "merchant_profile";
    NotOffered = "not_offered";
    PaymentObject = "payment";
    PaymentPartObject = "payment_part";
    PaymentSplitObject = "payment_split";
    RefundObject = "refund";
    RefundPreviewObject = "refund_preview";
    WaitingForDocument = "waiting_for_document";
    WebhookDeliveryObject = "webhook_delivery";
    WebhookEndpointObject = "webhook_endpoint";
    WebhookReplayObject = "webhook_replay";
}

values! {
    [] Timestamp = |Self(instant)| instant.to_rfc3339_opts(SecondsFormat::Millis, true), schema::instant();
    [] Date = |Self(day)| day.to_string(), json!({"type": "string", "format": "date"});
    [const MIN: usize, const MAX: usize] Text<'_, MIN, MAX> = |Self(text)| text, schema::text(MIN..=MAX);
    [T: Code] Coded<T> = |Self(value)| value.code(), schema::choice(codes::<T>());
    [T: Code] OpenCode<T> = |Self(value)| value.code(), schema::open_choice(codes::<T>());
    [T: Identifier] Id<'_, T> = |Self(id)| id.as_str(), schema::id(T::PREFIX);
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(instant: DateTime<Utc>) -> Self {
        Self(instant)
    }
}

impl From<NaiveDate> for Date {
    fn from(day: NaiveDate) -> Self {
        Self(day)
    }
}

impl<'a, const MIN: usize, const MAX: usize> From<&'a BoundedText<MIN, MAX>> for Text<'a, MIN, MAX> {
    fn from(line: &'a BoundedText<MIN, MAX>) -> Self {
        Self(line.as_str())
    }
}

impl<T: Code> From<T> for Coded<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: Code> From<T> for OpenCode<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<'a, T: Identifier> From<&'a T> for Id<'a, T> {
    fn from(id: &'a T) -> Self {
        Self(id)
    }
}
