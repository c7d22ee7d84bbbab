//! Readers of request bodies and queries.
//!
//! A reader is a function over an [`Object`] that reads every field in the order of the schema. [`request`] runs it
//! against a body and returns the parsed value or the refusal; [`Schemas::add`] runs the same function to record the
//! schema of each field. So a request has one description, and the OpenAPI document cannot differ from the parser.
//!
//! A reader of a value returns `None` after it has recorded an error. All fields are read even then, because a missing
//! field is reported before an invalid one.

mod description;
mod instant;
mod scalar;

pub(crate) use description::Schemas;
pub(crate) use instant::instant;
pub(crate) use scalar::{boolean, code, integer, line};

use std::{cell::OnceCell, fmt::Display, ops::RangeInclusive};

use domain::{InvalidRequest, Refusal, text::BoundedText};
use serde_json::json;
use zeroize::Zeroizing;

use crate::{
    json::{Json, canonical_secret},
    param::Path,
    schema,
};
use description::{ObjectDescription, ValueDescription};

/// Reads the fields of `body`.
///
/// # Errors
///
/// The first missing field, or else the first invalid one, in the order of the schema. Unknown fields come after the
/// known fields of the same object.
pub(crate) fn request<T>(body: &Json, read: impl FnOnce(&mut Object<'_>) -> Option<T>) -> Result<T, Refusal> {
    let faults = Faults::default();
    let value = Value::Sent(SentValue { json: body, path: &Path::Root, faults: &faults }).object(read);
    match (faults.missing.into_inner().or(faults.invalid.into_inner()), value) {
        (None, Some(value)) => Ok(value),
        (refusal, _) => Err(refusal.unwrap_or_else(|| InvalidRequest::ParameterInvalid.into())),
    }
}

/// Reads a value of a type from the fields of an object, each with a method of [`Object`]. The documentation of a field
/// is the description. Reads all fields, even after an error. Fields after the semicolon do not occur in the request.
macro_rules! read_fields {
    ($object:ident => $type:ident {
        $($(#[doc = $about:literal])* $field:ident: $read:ident $arguments:tt),+ $(,)?
        $(; $($fixed:ident: $value:expr),+ $(,)?)?
    }) => {{
        $(let $field = read_fields!(@read $object $read [$($about)*] $arguments);)+
        Some($type { $($field: $field?,)+ $($($fixed: $value),+)? })
    }};
    (@read $object:ident $read:ident [$($about:literal)+] ($name:literal, $reader:expr $(,)?)) => {
        $object.$read($name, concat!($($about),+).trim_start(), $reader)
    };
    (@read $object:ident $read:ident [] ($name:literal, $about:path, $reader:expr)) => {
        $object.$read($name, $about, $reader)
    };
}

pub(crate) use read_fields;

/// First missing and first invalid field of a request.
#[derive(Default)]
pub(crate) struct Faults {
    missing: OnceCell<Refusal>,
    invalid: OnceCell<Refusal>,
}

impl Faults {
    fn missing(&self, path: &Path<'_>) {
        self.missing.get_or_init(|| Refusal { param: path.param(), ..InvalidRequest::ParameterMissing.into() });
    }

    fn invalid(&self, path: &Path<'_>, rule: impl Display) {
        self.invalid.get_or_init(|| Refusal {
            param: path.param(),
            ..Refusal::of(InvalidRequest::ParameterInvalid).with_message(rule.to_string())
        });
    }
}

/// Value that a reader parses or describes.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    Sent(SentValue<'a>),
    Described(&'a ValueDescription<'a>),
}

/// Value of a request, with the path.
#[derive(Clone, Copy)]
pub(crate) struct SentValue<'a> {
    json: &'a Json,
    path: &'a Path<'a>,
    faults: &'a Faults,
}

/// Function that reads the fields of an object.
pub(crate) type Reader<T> = fn(&mut Object<'_>) -> Option<T>;

/// One of several objects that the value of a field tells apart.
pub(crate) struct Variant<T> {
    /// Value of the field.
    pub(crate) value: &'static str,
    /// Description of the field with this value.
    pub(crate) about: &'static str,
    /// Name of the schema.
    pub(crate) schema: &'static str,
    /// Reader of the other fields.
    pub(crate) read: Reader<T>,
}

/// Object that a reader parses or describes.
pub(crate) enum Object<'a> {
    Sent(SentObject<'a>),
    Described(ObjectDescription<'a>),
}

/// Object of a request. `known` collects the fields of the schema.
pub(crate) struct SentObject<'a> {
    fields: &'a [(String, Json)],
    path: &'a Path<'a>,
    faults: &'a Faults,
    known: Vec<&'static str>,
}

impl<'a> Value<'a> {
    /// Records that the value breaks `rule`. The message must not repeat the value.
    pub(crate) fn invalid<T>(self, rule: impl Display) -> Option<T> {
        if let Self::Sent(SentValue { path, faults, .. }) = self {
            faults.invalid(path, rule);
        }
        None
    }

    /// Records that the item at `index` breaks `rule`.
    pub(crate) fn invalid_item<T>(self, index: usize, rule: &str) -> Option<T> {
        if let Self::Sent(SentValue { path, faults, .. }) = self {
            faults.invalid(&Path::Item(path, index), rule);
        }
        None
    }

    /// Records that the field `name` of the item at `index` breaks `rule`.
    pub(crate) fn invalid_field<T>(self, (index, name): (usize, &'static str), rule: &str) -> Option<T> {
        if let Self::Sent(SentValue { path, faults, .. }) = self {
            faults.invalid(&Path::Field(&Path::Item(path, index), name), rule);
        }
        None
    }

    /// Returns the canonical bytes of the value.
    pub(crate) fn canonical(self) -> Option<Zeroizing<Vec<u8>>> {
        match self {
            Self::Sent(SentValue { json, .. }) => Some(canonical_secret(json)),
            Self::Described(_) => None,
        }
    }

    /// Adds keywords to the schema. They replace those of the value's reader, which leaves such a rule to a later check.
    pub(crate) fn keywords<const N: usize>(
        self,
        keywords: impl FnOnce() -> [(&'static str, serde_json::Value); N],
    ) -> Self {
        if let Self::Described(description) = self {
            description.add(keywords());
        }
        self
    }

    /// Reads a value with a named schema in the document.
    pub(crate) fn named<T>(self, name: &'static str, read: impl FnOnce(Value<'_>) -> Option<T>) -> Option<T> {
        match self {
            Self::Sent(_) => read(self),
            Self::Described(description) => description.named(name, read),
        }
    }

    /// Reads an object. Fields that `read` does not read are refused.
    pub(crate) fn object<T>(self, read: impl FnOnce(&mut Object<'_>) -> Option<T>) -> Option<T> {
        let SentValue { json, path, faults } = match self {
            Self::Sent(sent) => sent,
            Self::Described(description) => return description.object(read),
        };
        let Json::Object(fields) = json else { return self.invalid("The value must be an object.") };
        let mut object = Object::Sent(SentObject { fields, path, faults, known: Vec::new() });
        let value = read(&mut object);
        if let Object::Sent(object) = object {
            object.refuse_unknown();
        }
        value
    }

    /// Reads the items of an array.
    pub(crate) fn list<T>(self, size: RangeInclusive<usize>, read: impl Fn(Value<'_>) -> Option<T>) -> Option<Vec<T>> {
        let SentValue { json, path, faults } = match self {
            Self::Sent(sent) => sent,
            Self::Described(description) => {
                let bounds = schema::bounds("minItems", "maxItems", &size);
                return description.set(schema::with(schema::list(description.inner(read)), bounds));
            }
        };
        let Json::Array(items) = json else { return self.invalid("The value must be an array.") };
        if !size.contains(&items.len()) {
            return self.invalid(size_rule(&size, items.len(), "item"));
        }
        let read_item = |(index, json)| {
            let path = Path::Item(path, index);
            read(Value::Sent(SentValue { json, path: &path, faults }))
        };
        let all: Vec<Option<T>> = items.iter().enumerate().map(read_item).collect();
        all.into_iter().collect()
    }

    /// Reads the properties of an object with free keys of at most `MAX_KEY` characters.
    pub(crate) fn map<const MAX_KEY: usize, T>(
        self,
        size: RangeInclusive<usize>,
        read: impl Fn(&str, Value<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let SentValue { json, path, faults } = match self {
            Self::Sent(sent) => sent,
            Self::Described(description) => {
                let value = description.inner(|value| read("", value));
                let map = json!({
                    "type": "object", "propertyNames": schema::line(1..=MAX_KEY), "additionalProperties": value,
                });
                return description.set(schema::with(map, schema::bounds("minProperties", "maxProperties", &size)));
            }
        };
        let Json::Object(fields) = json else { return self.invalid("The value must be an object.") };
        if !size.contains(&fields.len()) {
            return self.invalid(size_rule(&size, fields.len(), "key"));
        }
        let read_field = |(key, json): &(String, Json)| {
            let path = Path::Field(path, key);
            let value = Value::Sent(SentValue { json, path: &path, faults });
            let read = read(key, value);
            if BoundedText::<1, MAX_KEY>::parse(key).is_none() {
                return value.invalid(format_args!("A key must be one line of 1 to {MAX_KEY} visible characters."));
            }
            read
        };
        let all: Vec<Option<T>> = fields.iter().map(read_field).collect();
        all.into_iter().collect()
    }
}

/// Message about a list or map whose size is out of `bounds`.
fn size_rule(bounds: &RangeInclusive<usize>, size: usize, noun: &str) -> String {
    match size < *bounds.start() {
        true => format!("There must be at least one {noun}."),
        false => format!("There may be at most {} {noun}s.", bounds.end()),
    }
}

impl<'a> Object<'a> {
    /// Whether the request has the field, even as `null`.
    pub(crate) fn has(&mut self, name: &'static str) -> bool {
        match self {
            Self::Sent(object) => object.field(name).is_some(),
            Self::Described(_) => false,
        }
    }

    /// Reads a required field; `null` counts as missing.
    pub(crate) fn required<T>(
        &mut self,
        name: &'static str,
        about: &'static str,
        read: impl FnOnce(Value<'_>) -> Option<T>,
    ) -> Option<T> {
        match self {
            Self::Sent(object) => match object.field(name) {
                None | Some(Json::Null) => {
                    object.faults.missing(&Path::Field(object.path, name));
                    None
                }
                Some(json) => object.read(name, json, read),
            },
            Self::Described(object) => object.field(name, about, true, read),
        }
    }

    /// Reads a field that may be absent, but not `null`.
    pub(crate) fn optional<T>(
        &mut self,
        name: &'static str,
        about: &'static str,
        read: impl FnOnce(Value<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        match self {
            Self::Sent(object) => match object.field(name) {
                None => Some(None),
                Some(json) => object.read(name, json, read).map(Some),
            },
            Self::Described(object) => object.field(name, about, false, read),
        }
    }

    /// Reads a field that has a default value.
    pub(crate) fn with_default<T: Default>(
        &mut self,
        name: &'static str,
        about: &'static str,
        read: impl FnOnce(Value<'_>) -> Option<T>,
    ) -> Option<T> {
        self.optional(name, about, read).map(Option::unwrap_or_default)
    }

    /// Reads a required field whose absence, or `null`, reads as empty: a later check refuses that with another code.
    pub(crate) fn required_later<T: Default>(
        &mut self,
        name: &'static str,
        about: &'static str,
        read: impl FnOnce(Value<'_>) -> Option<T>,
    ) -> Option<T> {
        match self {
            Self::Sent(object) => match object.field(name) {
                None | Some(Json::Null) => Some(T::default()),
                Some(json) => object.read(name, json, read),
            },
            Self::Described(object) => object.field(name, about, true, read),
        }
    }

    /// Reads one of several named objects. `choose` returns the index of the one to read.
    pub(crate) fn one_of<T, const N: usize>(
        &mut self,
        variants: [(&'static str, Reader<T>); N],
        choose: impl FnOnce(&mut Self) -> usize,
    ) -> Option<T> {
        match self {
            Self::Sent(_) => {
                let chosen = choose(self);
                (variants[chosen].1)(self)
            }
            Self::Described(object) => object.one_of(variants),
        }
    }

    /// Reads one of several named objects: the one that the value of the field `tag` selects.
    pub(crate) fn tagged<T, const N: usize>(&mut self, tag: &'static str, variants: [Variant<T>; N]) -> Option<T> {
        match self {
            Self::Sent(_) => {
                let values = variants.each_ref().map(|variant| variant.value);
                let chosen = self.required(tag, "", |value| value.word(&values))?;
                (variants[chosen].read)(self)
            }
            Self::Described(object) => object.tagged(tag, variants),
        }
    }

    /// Records that a field breaks `rule`.
    pub(crate) fn invalid<T>(&mut self, name: &'static str, rule: &str) -> Option<T> {
        if let Self::Sent(object) = self {
            object.known.push(name);
            object.faults.invalid(&Path::Field(object.path, name), rule);
        }
        None
    }
}

impl<'a> SentObject<'a> {
    fn field(&mut self, name: &'static str) -> Option<&'a Json> {
        self.known.push(name);
        self.fields.iter().find_map(|(key, json)| (key == name).then_some(json))
    }

    fn read<T>(&self, name: &'static str, json: &Json, read: impl FnOnce(Value<'_>) -> Option<T>) -> Option<T> {
        read(Value::Sent(SentValue { json, path: &Path::Field(self.path, name), faults: self.faults }))
    }

    fn refuse_unknown(&self) {
        if let Some((key, _)) = self.fields.iter().find(|(key, _)| !self.known.contains(&key.as_str())) {
            self.faults.invalid(&Path::Field(self.path, key), "There is no such parameter.");
        }
    }
}
