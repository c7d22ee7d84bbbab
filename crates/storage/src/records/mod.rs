//! Nested content that is stored as JSON, because queries do not need the parts.
//!
//! Illegal JSON is `None`, and the row names the column.

#![expect(non_camel_case_types, reason = "the macros of `json` name type parameters like fields")]

mod account;
mod document;
mod issuance;
mod json;
mod payment;
mod refund;
mod split;

pub(crate) use account::Abilities;
pub(crate) use document::{ContentParts, TermsRecord, email_status_parts, read_email_status};
pub(crate) use issuance::{read_stage, stage_text};
pub(crate) use json::{Json, Own};
pub(crate) use payment::{DetailsParts, OrphansRecord, VerificationProgress};
pub(crate) use refund::{LegsRecord, RefundDetails};
pub(crate) use split::SplitRecord;

use json::Ref;
use serde::{Serialize, de::DeserializeOwned};

/// Returns the JSON of a record.
pub(crate) fn text<T: Serialize>(record: &T) -> String {
    serde_json::to_string(record).expect("records consist of texts, numbers and lists")
}

pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// Returns the JSON of a domain type.
pub(crate) fn json<T: Json>(value: &T) -> String {
    text(&Ref(value))
}

pub(crate) fn parse<T: Json>(text: &str) -> Option<T> {
    read(text).map(|Own(value)| value)
}

/// Reads an optional value. Returns `None` only for an illegal one.
pub(crate) fn optional<S, T>(stored: Option<S>, read: impl FnOnce(S) -> Option<T>) -> Option<Option<T>> {
    match stored {
        None => Some(None),
        Some(stored) => read(stored).map(Some),
    }
}

/// A part of a domain type with a separate column.
macro_rules! parts {
    ($(#[$doc:meta])* $name:ident of $type:ty { $($field:ident: $field_type:ty),* $(,)? }) => {
        $(#[$doc])*
        pub(crate) struct $name {
            $(pub(crate) $field: $field_type),*
        }

        impl $name {
            pub(crate) fn text(of: &$type) -> String {
                #[derive(Serialize)]
                struct Fields<$($field),*> {
                    $($field: $field),*
                }
                crate::records::text(&Fields { $($field: Ref(&of.$field)),* })
            }

            pub(crate) fn read(text: &str) -> Option<Self> {
                #[derive(Deserialize)]
                struct Fields {
                    $($field: Own<$field_type>),*
                }
                let Fields { $($field: Own($field)),* } = crate::records::read(text)?;
                Some(Self { $($field),* })
            }
        }
    };
}
use parts;
