//! Walks a tree field by field, in the order of the schema, and remembers what is wrong with it.
//!
//! A reader of a field answers `None` once it has said what is wrong. Everything is read even after that: a missing
//! field is answered before an invalid one, wherever the two stand.

mod scalar;

pub(crate) use scalar::{boolean, integer, line};

use std::cell::OnceCell;

use domain::{InvalidRequest, Refusal};
use zeroize::Zeroizing;

use crate::{
    json::{Json, canonical_secret},
    param::Path,
};

/// What `read` makes of the fields of `body`.
///
/// # Errors
///
/// The first field that is missing, or else the first that is invalid, in the order of the schema. Fields that the
/// schema does not know come after those of the same object that it knows.
pub(crate) fn request<T>(body: &Json, read: impl FnOnce(&mut Object<'_>) -> Option<T>) -> Result<T, Refusal> {
    let faults = Faults::default();
    let value = Value { json: body, path: &Path::Root, faults: &faults }.object(read);
    match (faults.missing.into_inner().or(faults.invalid.into_inner()), value) {
        (None, Some(value)) => Ok(value),
        (refusal, _) => Err(refusal.unwrap_or_else(|| InvalidRequest::ParameterInvalid.into())),
    }
}

/// The first of each kind.
#[derive(Default)]
struct Faults {
    missing: OnceCell<Refusal>,
    invalid: OnceCell<Refusal>,
}

impl Faults {
    fn missing(&self, path: &Path<'_>) {
        self.missing.get_or_init(|| Refusal { param: path.param(), ..InvalidRequest::ParameterMissing.into() });
    }

    fn invalid(&self, path: &Path<'_>, rule: &str) {
        self.invalid.get_or_init(|| Refusal {
            param: path.param(),
            ..Refusal::of(InvalidRequest::ParameterInvalid).saying(rule)
        });
    }
}

/// One value of the tree, and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    json: &'a Json,
    path: &'a Path<'a>,
    faults: &'a Faults,
}

/// An object that is being read: every field asked for is one that the schema knows.
pub(crate) struct Object<'a> {
    fields: &'a [(String, Json)],
    path: &'a Path<'a>,
    faults: &'a Faults,
    known: Vec<&'static str>,
}

impl<'a> Value<'a> {
    /// Says that the value breaks `rule`, in a sentence that repeats nothing of it.
    pub(crate) fn invalid<T>(self, rule: &str) -> Option<T> {
        self.faults.invalid(self.path, rule);
        None
    }

    /// Says that the item at `index` breaks `rule`: it can only be judged beside the others.
    pub(crate) fn invalid_item<T>(self, index: usize, rule: &str) -> Option<T> {
        self.faults.invalid(&Path::Item(self.path, index), rule);
        None
    }

    /// The bytes that stand for the value, however it was spelled.
    pub(crate) fn canonical(self) -> Zeroizing<Vec<u8>> {
        canonical_secret(self.json)
    }

    /// What `read` makes of an object. Fields that it does not ask for are not allowed.
    pub(crate) fn object<T>(self, read: impl FnOnce(&mut Object<'a>) -> Option<T>) -> Option<T> {
        let Json::Object(fields) = self.json else { return self.invalid("The value must be an object.") };
        let mut object = Object { fields, path: self.path, faults: self.faults, known: Vec::new() };
        let value = read(&mut object);
        object.refuse_others();
        value
    }

    /// What `read` makes of each of at most `most` items.
    pub(crate) fn list<T>(self, most: usize, read: impl Fn(Value<'_>) -> Option<T>) -> Option<Vec<T>> {
        let Json::Array(items) = self.json else { return self.invalid("The value must be an array.") };
        if items.len() > most {
            return self.invalid(&format!("There may be at most {most} items."));
        }
        let read_item = |(index, json)| {
            let path = Path::Item(self.path, index);
            read(Value { json, path: &path, faults: self.faults })
        };
        let all: Vec<Option<T>> = items.iter().enumerate().map(read_item).collect();
        all.into_iter().collect()
    }

    /// Keys and values of an object of any keys, at most `most`.
    pub(crate) fn map<T>(self, most: usize, read: impl Fn(&str, Value<'_>) -> Option<T>) -> Option<Vec<T>> {
        let Json::Object(fields) = self.json else { return self.invalid("The value must be an object.") };
        if fields.len() > most {
            return self.invalid(&format!("There may be at most {most} properties."));
        }
        let read_field = |(key, json): &(String, Json)| {
            let path = Path::Field(self.path, key);
            read(key, Value { json, path: &path, faults: self.faults })
        };
        let all: Vec<Option<T>> = fields.iter().map(read_field).collect();
        all.into_iter().collect()
    }
}

impl<'a> Object<'a> {
    /// Whether the field is there, if only as `null`.
    pub(crate) fn has(&mut self, name: &'static str) -> bool {
        self.field(name).is_some()
    }

    /// A field that has to be there; `null` is as good as nothing.
    pub(crate) fn required<T>(&mut self, name: &'static str, read: impl FnOnce(Value<'_>) -> Option<T>) -> Option<T> {
        match self.field(name) {
            None | Some(Json::Null) => {
                self.faults.missing(&Path::Field(self.path, name));
                None
            }
            Some(json) => read(Value { json, path: &Path::Field(self.path, name), faults: self.faults }),
        }
    }

    /// A field that may be left out, but not be `null`.
    pub(crate) fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(Value<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.field(name) {
            None => Some(None),
            Some(json) => read(Value { json, path: &Path::Field(self.path, name), faults: self.faults }).map(Some),
        }
    }

    /// A field of which `null` is as good as nothing, and nothing is no fault of syntax.
    pub(crate) fn nullable<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(Value<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.field(name) {
            Some(Json::Null) => Some(None),
            _ => self.optional(name, read),
        }
    }

    /// Says that a field breaks `rule`, whatever it holds.
    pub(crate) fn invalid<T>(&mut self, name: &'static str, rule: &str) -> Option<T> {
        self.known.push(name);
        self.faults.invalid(&Path::Field(self.path, name), rule);
        None
    }

    fn field(&mut self, name: &'static str) -> Option<&'a Json> {
        self.known.push(name);
        self.fields.iter().find_map(|(key, json)| (key == name).then_some(json))
    }

    fn refuse_others(&self) {
        if let Some((key, _)) = self.fields.iter().find(|(key, _)| !self.known.contains(&key.as_str())) {
            self.faults.invalid(&Path::Field(self.path, key), "There is no such parameter.");
        }
    }
}
