//! Schemas that readers record.

use std::cell::RefCell;

use serde_json::{Map, Value as Schema, json};

use super::{Object, Reader, Value, Variant};
use crate::schema;

/// Named schemas of the document.
#[derive(Default)]
pub(crate) struct Schemas(RefCell<Map<String, Schema>>);

impl Schemas {
    /// Records the schema of the object that `read` reads.
    pub(crate) fn add<T>(&self, name: &'static str, about: &str, read: impl FnOnce(&mut Object<'_>) -> Option<T>) {
        let value = ValueDescription::new(self);
        value.object(read);
        self.insert(name, schema::with_description(value.schema.into_inner(), about));
    }

    /// Returns the recorded schemas.
    pub(crate) fn into_inner(self) -> Map<String, Schema> {
        self.0.into_inner()
    }

    fn insert(&self, name: &str, schema: Schema) {
        self.0.borrow_mut().insert(name.to_owned(), schema);
    }
}

/// Schema of one value. Keywords that are set first win.
pub(crate) struct ValueDescription<'a> {
    schema: RefCell<Schema>,
    schemas: &'a Schemas,
}

impl<'a> ValueDescription<'a> {
    fn new(schemas: &'a Schemas) -> Self {
        Self { schema: RefCell::new(json!({})), schemas }
    }

    /// Records the schema. Returns `None`, as a reader does that has no value.
    pub(super) fn set<T>(&self, schema: Schema) -> Option<T> {
        if let Schema::Object(keywords) = schema {
            self.add(keywords);
        }
        None
    }

    pub(super) fn add<K: Into<String>>(&self, keywords: impl IntoIterator<Item = (K, Schema)>) {
        if let Schema::Object(schema) = &mut *self.schema.borrow_mut() {
            for (keyword, value) in keywords {
                schema.entry(keyword).or_insert(value);
            }
        }
    }

    /// Returns the schema of a value inside this one.
    pub(super) fn inner<T>(&self, read: impl FnOnce(Value<'_>) -> Option<T>) -> Schema {
        let inner = ValueDescription::new(self.schemas);
        read(Value::Described(&inner));
        inner.schema.into_inner()
    }

    pub(super) fn named<T>(&self, name: &'static str, read: impl FnOnce(Value<'_>) -> Option<T>) -> Option<T> {
        self.schemas.insert(name, self.inner(read));
        self.set(schema::reference(name))
    }

    pub(super) fn object<T>(&self, read: impl FnOnce(&mut Object<'_>) -> Option<T>) -> Option<T> {
        let description = ObjectDescription { properties: Vec::new(), union: None, schemas: self.schemas };
        let mut object = Object::Described(description);
        read(&mut object);
        match object {
            Object::Described(ObjectDescription { union: Some(union), .. }) => self.set(union),
            Object::Described(ObjectDescription { properties, .. }) => self.set(schema::closed(properties)),
            Object::Sent(_) => None,
        }
    }
}

/// Schema of an object, or of a union of objects.
pub(crate) struct ObjectDescription<'a> {
    properties: Vec<schema::Field>,
    union: Option<Schema>,
    schemas: &'a Schemas,
}

impl ObjectDescription<'_> {
    pub(super) fn field<T, R>(
        &mut self,
        name: &'static str,
        about: &str,
        is_required: bool,
        read: impl FnOnce(Value<'_>) -> Option<T>,
    ) -> Option<R> {
        let value = ValueDescription::new(self.schemas);
        value.add([("description", json!(about))]);
        read(Value::Described(&value));
        self.properties.push(schema::Field { name, is_required, schema: value.schema.into_inner() });
        None
    }

    pub(super) fn one_of<T>(&mut self, variants: impl IntoIterator<Item = (&'static str, Reader<T>)>) -> Option<T> {
        let names = variants.into_iter().map(|(name, read)| {
            self.schemas.add(name, "", read);
            name
        });
        self.union = Some(schema::one_of(&names.collect::<Vec<_>>()));
        None
    }

    pub(super) fn tagged<T>(&mut self, tag: &'static str, variants: impl IntoIterator<Item = Variant<T>>) -> Option<T> {
        let names = variants.into_iter().map(|Variant { value, about, schema, read }| {
            self.schemas.add(schema, "", |object| {
                object.required(tag, about, |it| it.only(value));
                read(object)
            });
            (value, schema)
        });
        self.union = Some(schema::tagged(tag, &names.collect::<Vec<_>>()));
        None
    }
}
