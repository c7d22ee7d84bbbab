//! Operations: callers, parameters, request body, responses and errors.

use serde_json::Value;

use crate::{
    document::{Document, fields, items, schema_name, text},
    example::{Example, examples},
    field::{BodySchema, Field, parameters},
    value_type::{ValueType, alternatives},
};

/// Operation on the page.
pub(crate) struct Operation<'a> {
    pub(crate) id: &'a str,
    pub(crate) tag: &'a str,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) summary: &'a str,
    pub(crate) description: &'a str,
    /// Names of the security schemes that may call the operation.
    pub(crate) callers: Vec<&'a str>,
    pub(crate) parameters: Vec<Field<'a>>,
    pub(crate) body: Option<Body<'a>>,
    pub(crate) successes: Vec<Success<'a>>,
    pub(crate) errors: Vec<ErrorStatus<'a>>,
}

/// Request body.
pub(crate) struct Body<'a> {
    pub(crate) schema: BodySchema<'a>,
    /// Alternatives of a union, with their names.
    pub(crate) variants: Vec<(&'a str, BodySchema<'a>)>,
    pub(crate) examples: Vec<Example<'a>>,
}

/// Response on success.
pub(crate) struct Success<'a> {
    pub(crate) status: &'a str,
    pub(crate) description: &'a str,
    pub(crate) media: &'a str,
    pub(crate) value_type: ValueType<'a>,
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    pub(crate) examples: Vec<Example<'a>>,
}

/// Status of error responses, with the codes.
pub(crate) struct ErrorStatus<'a> {
    pub(crate) status: &'a str,
    pub(crate) description: &'a str,
    pub(crate) codes: Vec<&'a str>,
}

/// Returns every operation. Paths with the most operations under their first segment come first.
pub(crate) fn operations<'a>(document: Document<'a>) -> Vec<Operation<'a>> {
    let paths: Vec<(&str, &Value)> = fields(document.at("/paths")).collect();
    let resource = |path: &str| path.split('/').nth(2).unwrap_or_default().to_owned();
    let size = |path: &str| paths.iter().filter(|(other, _)| resource(other) == resource(path)).count();
    let of_path = |&(path, methods): &(&'a str, &'a Value)| {
        fields(methods).map(|(method, operation)| Operation::of(document, method, path, operation)).collect::<Vec<_>>()
    };
    let mut operations: Vec<Operation<'a>> = paths.iter().flat_map(of_path).collect();
    operations.sort_by_key(|operation| (usize::MAX - size(operation.path), operation.path, operation.method != "post"));
    operations
}

impl<'a> Operation<'a> {
    fn of(document: Document<'a>, method: &'a str, path: &'a str, operation: &'a Value) -> Self {
        let responses = fields(&operation["responses"]).map(|(status, it)| (status, document.resolve(it)));
        let (successes, errors): (Vec<_>, Vec<_>) = responses.partition(|(status, _)| status.starts_with('2'));
        let media = &document.resolve(&operation["requestBody"])["content"]["application/json"];
        Self {
            id: text(&operation["operationId"]),
            tag: text(&operation["tags"][0]),
            method,
            path,
            summary: text(&operation["summary"]),
            description: text(&operation["description"]),
            callers: items(&operation["security"]).iter().flat_map(fields).map(|(scheme, _)| scheme).collect(),
            parameters: parameters(document, operation),
            body: media.is_object().then(|| Body::of(document, media)),
            successes: successes.into_iter().map(|(status, it)| Success::of(document, status, it)).collect(),
            errors: errors.into_iter().map(|(status, it)| ErrorStatus::of(status, it)).collect(),
        }
    }
}

impl<'a> Body<'a> {
    fn of(document: Document<'a>, media: &'a Value) -> Self {
        let schema = document.resolve(&media["schema"]);
        let variant =
            |reference: &'a Value| Some((schema_name(reference)?, BodySchema::of(document.resolve(reference))));
        Self {
            schema: BodySchema::of(schema),
            variants: alternatives(schema).iter().filter_map(variant).collect(),
            examples: examples(document, media),
        }
    }
}

impl<'a> Success<'a> {
    fn of(document: Document<'a>, status: &'a str, response: &'a Value) -> Self {
        let (media, content) = fields(&response["content"]).next().unwrap_or(("", &Value::Null));
        let header = |(name, header): (&'a str, &'a Value)| (name, text(&document.resolve(header)["description"]));
        Self {
            status,
            description: text(&response["description"]),
            media,
            value_type: ValueType::of(&content["schema"]),
            headers: fields(&response["headers"]).map(header).collect(),
            examples: examples(document, content),
        }
    }
}

impl<'a> ErrorStatus<'a> {
    fn of(status: &'a str, response: &'a Value) -> Self {
        let codes = fields(&response["content"]["application/json"]["examples"]).map(|(code, _)| code).collect();
        Self { status, description: text(&response["description"]), codes }
    }
}

/// Named schema.
pub(crate) struct Schema<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) schema: BodySchema<'a>,
    /// Names of the alternatives of a union.
    pub(crate) variants: Vec<&'a str>,
}

/// Returns the schemas of responses, and the alternatives of request bodies. Other request bodies are part of their
/// operation.
pub(crate) fn schemas<'a>(document: Document<'a>) -> Vec<Schema<'a>> {
    let schema = |(name, schema): (&'a str, &'a Value)| Schema {
        name,
        description: text(&schema["description"]),
        schema: BodySchema::of(schema),
        variants: alternatives(schema).iter().filter_map(schema_name).collect(),
    };
    let schemas: Vec<Schema<'a>> = fields(document.at("/components/schemas")).map(schema).collect();
    let variants: Vec<&str> = schemas.iter().flat_map(|schema| schema.variants.iter().copied()).collect();
    schemas.into_iter().filter(|it| !it.schema.is_closed || variants.contains(&it.name)).collect()
}
