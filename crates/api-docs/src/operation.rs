//! One operation: who may call it, what goes in, what comes out.

use serde_json::Value;

use crate::{
    document::{Document, elements, fields, schema_name, text},
    example::{Example, examples},
    field::{Field, Shape, parameters},
    kind::{Kind, choices},
};

/// An operation, as the page shows it.
pub(crate) struct Operation<'a> {
    pub(crate) id: &'a str,
    pub(crate) tag: &'a str,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) summary: &'a str,
    /// Alternates between text and code, starting with text.
    pub(crate) description: Vec<&'a str>,
    pub(crate) callers: Vec<&'a str>,
    pub(crate) parameters: Vec<Field<'a>>,
    pub(crate) body: Option<Body<'a>>,
    pub(crate) answers: Vec<Answer<'a>>,
    pub(crate) refusals: Vec<Refusal<'a>>,
}

/// What is sent.
pub(crate) struct Body<'a> {
    pub(crate) shape: Shape<'a>,
    /// The schemas of which it is one, each by its name.
    pub(crate) variants: Vec<(&'a str, Shape<'a>)>,
    pub(crate) examples: Vec<Example<'a>>,
}

/// What comes back if all goes well.
pub(crate) struct Answer<'a> {
    pub(crate) status: &'a str,
    pub(crate) description: &'a str,
    pub(crate) media: &'a str,
    pub(crate) kind: Kind<'a>,
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    pub(crate) examples: Vec<Example<'a>>,
}

/// What comes back otherwise.
pub(crate) struct Refusal<'a> {
    pub(crate) status: &'a str,
    pub(crate) description: &'a str,
    pub(crate) codes: Vec<&'a str>,
}

/// Every operation, those of the largest family of paths first.
pub(crate) fn operations<'a>(document: Document<'a>) -> Vec<Operation<'a>> {
    let paths: Vec<(&str, &Value)> = fields(document.at("/paths")).collect();
    let family = |path: &str| path.split('/').nth(2).unwrap_or_default().to_owned();
    let size = |path: &str| paths.iter().filter(|(other, _)| family(other) == family(path)).count();
    let of_path = |&(path, methods): &(&'a str, &'a Value)| {
        fields(methods).map(|(method, operation)| Operation::of(document, method, path, operation)).collect::<Vec<_>>()
    };
    let mut operations: Vec<Operation<'a>> = paths.iter().flat_map(of_path).collect();
    operations.sort_by_key(|it| (usize::MAX - size(it.path), it.path, it.method != "post"));
    operations
}

impl<'a> Operation<'a> {
    fn of(document: Document<'a>, method: &'a str, path: &'a str, operation: &'a Value) -> Self {
        let responses = || fields(&operation["responses"]).map(|(status, it)| (status, document.resolve(it)));
        let is_success = |status: &str| status.starts_with('2');
        let media = &document.resolve(&operation["requestBody"])["content"]["application/json"];
        Self {
            id: text(&operation["operationId"]),
            tag: text(&operation["tags"][0]),
            method,
            path,
            summary: text(&operation["summary"]),
            description: text(&operation["description"]).split('`').collect(),
            callers: elements(&operation["security"]).iter().flat_map(fields).map(|(scheme, _)| scheme).collect(),
            parameters: parameters(document, operation),
            body: media.is_object().then(|| Body::of(document, media)),
            answers: responses()
                .filter(|(status, _)| is_success(status))
                .map(|(status, it)| Answer::of(document, status, it))
                .collect(),
            refusals: responses()
                .filter(|(status, _)| !is_success(status))
                .map(|(status, it)| Refusal::of(status, it))
                .collect(),
        }
    }
}

impl<'a> Body<'a> {
    fn of(document: Document<'a>, media: &'a Value) -> Self {
        let schema = document.resolve(&media["schema"]);
        let variant = |choice: &'a Value| Some((schema_name(choice)?, Shape::of(document.resolve(choice))));
        Self {
            shape: Shape::of(schema),
            variants: choices(schema).iter().filter_map(variant).collect(),
            examples: examples(document, media),
        }
    }
}

impl<'a> Answer<'a> {
    fn of(document: Document<'a>, status: &'a str, answer: &'a Value) -> Self {
        let (media, content) = fields(&answer["content"]).next().unwrap_or(("", &Value::Null));
        let header = |(name, header): (&'a str, &'a Value)| (name, text(&document.resolve(header)["description"]));
        Self {
            status,
            description: text(&answer["description"]),
            media,
            kind: Kind::of(&content["schema"]),
            headers: fields(&answer["headers"]).map(header).collect(),
            examples: examples(document, content),
        }
    }
}

impl<'a> Refusal<'a> {
    fn of(status: &'a str, answer: &'a Value) -> Self {
        let codes = fields(&answer["content"]["application/json"]["examples"]).map(|(code, _)| code).collect();
        Self { status, description: text(&answer["description"]), codes }
    }
}

/// A schema that is referred to by its name.
pub(crate) struct Schema<'a> {
    pub(crate) name: &'a str,
    pub(crate) shape: Shape<'a>,
    /// The schemas of which it is one.
    pub(crate) variants: Vec<&'a str>,
}

/// The schemas of answers. Those of requests are shown with their operations, but for those that are one of several.
pub(crate) fn schemas<'a>(document: Document<'a>) -> Vec<Schema<'a>> {
    let schema = |(name, schema): (&'a str, &'a Value)| Schema {
        name,
        shape: Shape::of(schema),
        variants: choices(schema).iter().filter_map(schema_name).collect(),
    };
    let schemas: Vec<Schema<'a>> = fields(document.at("/components/schemas")).map(schema).collect();
    let variants: Vec<&str> = schemas.iter().flat_map(|it| it.variants.iter().copied()).collect();
    schemas.into_iter().filter(|it| !it.shape.is_closed || variants.contains(&it.name)).collect()
}
