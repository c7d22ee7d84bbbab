//! Schemas of responses, derived from their types.

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    CheckoutPaymentResponse, CheckoutTokenResponse, DeletedEndpointResponse, DocumentEmailResponse, EventPayload,
    FiscalDocumentResponse, ListResponse, MerchantAccountResponse, MerchantProfileResponse, MerchantRefundResponse,
    PaymentPartResponse, PaymentResponse, PaymentSplitResponse, ReceiptDocumentResponse, RefundPreviewResponse,
    WebhookDeliveryResponse, WebhookEndpointResponse, WebhookReplayResponse,
    response::Problem,
    schema::{pascal_case, reference, tagged, with_description},
};

pub(super) fn schemas() -> Map<String, Value> {
    let mut generator = generator();
    generator.subschema_for::<CheckoutPaymentResponse<'_>>();
    generator.subschema_for::<CheckoutTokenResponse<'_>>();
    generator.subschema_for::<DeletedEndpointResponse<'_>>();
    generator.subschema_for::<DocumentEmailResponse<'_>>();
    generator.subschema_for::<ListResponse<'_, EventPayload<'_>>>();
    generator.subschema_for::<ListResponse<'_, FiscalDocumentResponse<'_>>>();
    generator.subschema_for::<ListResponse<'_, PaymentResponse<'_>>>();
    generator.subschema_for::<ListResponse<'_, MerchantRefundResponse<'_>>>();
    generator.subschema_for::<ListResponse<'_, WebhookDeliveryResponse<'_>>>();
    generator.subschema_for::<ListResponse<'_, WebhookEndpointResponse<'_>>>();
    generator.subschema_for::<MerchantAccountResponse<'_>>();
    generator.subschema_for::<MerchantProfileResponse<'_>>();
    generator.subschema_for::<PaymentPartResponse<'_>>();
    generator.subschema_for::<PaymentSplitResponse<'_>>();
    generator.subschema_for::<ReceiptDocumentResponse<'_>>();
    generator.subschema_for::<RefundPreviewResponse<'_>>();
    generator.subschema_for::<WebhookReplayResponse<'_>>();
    let mut schemas = generator.take_definitions(true);
    schemas.values_mut().for_each(normalize);
    add_views(&mut schemas);
    divide_unions(&mut schemas);
    schemas
}

/// Returns the schema of a problem, without the schemas of its `type` and `code`.
pub(super) fn problem() -> Value {
    let mut generator = generator();
    generator.subschema_for::<Problem<'_>>();
    let mut schema = generator.take_definitions(true)["Problem"].take();
    normalize(&mut schema);
    schema
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        settings.transforms.clear();
    });
    settings.into_generator()
}

/// Rewrites a derived schema in the form that generators of clients read best.
fn normalize(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            normalize_keywords(keywords);
            let required = keywords.get("required").cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = keywords.get_mut("properties") {
                for (name, property) in properties {
                    let is_required = required.as_array().is_some_and(|names| names.iter().any(|it| it == name));
                    normalize_null(property, is_required);
                }
            }
            keywords.values_mut().for_each(normalize);
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        _ => {}
    }
}

/// Joins the lines of descriptions, and drops the widths of unsigned integers, which JSON does not have.
fn normalize_keywords(keywords: &mut Map<String, Value>) {
    if let Some(Value::String(description)) = keywords.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    let is_unsigned = |format: &Value| format.as_str().is_some_and(|format| format.starts_with("uint"));
    if keywords.get("format").is_some_and(is_unsigned) {
        keywords.remove("format");
        keywords.retain(|keyword, bound| keyword != "maximum" || bound.as_u64().is_none_or(|it| it < 255));
    }
}

/// Writes a property that may be `null` as a union with the type `null`. An absent property is never `null`.
fn normalize_null(property: &mut Value, is_required: bool) {
    let Some(keywords) = property.as_object_mut() else { return };
    let is_null = |value: &Value| value.is_null() || value == "null" || value["type"] == "null";
    let mut is_nullable = false;
    for keyword in ["type", "enum", "anyOf"] {
        if let Some(Value::Array(variants)) = keywords.get_mut(keyword) {
            is_nullable |= variants.iter().any(is_null);
            variants.retain(|variant| !is_null(variant));
        }
    }
    if !is_nullable {
        return;
    }
    if let Some(Value::Array(types)) = keywords.get_mut("type") {
        let one = types.pop();
        keywords.insert("type".to_owned(), one.unwrap_or_default());
    }
    if let Some(Value::Array(mut variants)) = keywords.remove("anyOf")
        && let Some(Value::Object(variant)) = variants.pop()
    {
        keywords.extend(variant);
    }
    if is_required {
        let description = keywords.remove("description").unwrap_or_default();
        let variant = std::mem::take(keywords);
        *property = json!({"oneOf": [variant, {"type": "null"}], "description": description});
    }
}

/// Adds the schemas of operations that merchant keys and checkout tokens may call. Generators merge the alternatives of a
/// union if one has all properties of the other, so these have one schema for both.
fn add_views(schemas: &mut Map<String, Value>) {
    let document = view(
        &schemas["FiscalDocument"],
        &schemas["ReceiptDocument"],
        "A `FiscalDocument` for a merchant key, a `ReceiptDocument` for a checkout token. Only a merchant key reads \
         `merchantInvoiceNumber` and `merchantOrderNumber`, which are always present then.",
    );
    let mut payment = view(
        &schemas["Payment"],
        &schemas["CheckoutPayment"],
        "A `Payment` for a merchant key, a `CheckoutPayment` for a checkout token. Only a merchant key reads \
         `checkoutReference`, `split` and `refundSummary`, which are always present then, and `metadata`; only a checkout \
         token reads `refunds`, which is always present then.",
    );
    payment["properties"]["fiscalDocument"] =
        with_description(reference("FiscalDocumentView"), "Fiscal document of the sale.");
    schemas.insert("FiscalDocumentView".to_owned(), document);
    schemas.insert("PaymentView".to_owned(), payment);
}

/// Returns a schema with the properties of both, in which properties that only one of them has are optional.
fn view(full: &Value, part: &Value, description: &str) -> Value {
    let mut view = full.clone();
    if let (Some(all), Some(own)) = (view["properties"].as_object_mut(), part["properties"].as_object()) {
        for (name, property) in own {
            all.entry(name).or_insert_with(|| property.clone());
        }
    }
    let required = part["required"].as_array().into_iter().flatten();
    let is_shared = |name: &&Value| full["required"].as_array().is_some_and(|names| names.contains(name));
    view["required"] = required.filter(is_shared).cloned().collect();
    with_description(view, description)
}

/// Unions of objects that a tag tells apart: name, tag, description of the tag, and names of the variants, with `{}` for
/// the tag in Pascal case.
const UNIONS: [(&str, &str, &str, &str); 6] = [
    ("FiscalDocument", "status", "Status of the document.", "{}FiscalDocument"),
    ("ReceiptDocument", "status", "Status of the document.", "{}ReceiptDocument"),
    ("FiscalDocumentView", "status", "Status of the document.", "{}DocumentView"),
    ("Delivery", "status", "Status of the e-mail.", "Delivery{}"),
    ("NextAction", "kind", "Kind of step.", "{}"),
    ("PaymentMethodSummary", "kind", "Kind of payment method.", "{}Summary"),
];

/// Replaces each union by named schemas with all their properties: generators of clients lose properties of combined
/// schemas and do not support nested unions.
fn divide_unions(schemas: &mut Map<String, Value>) {
    let mut documents = Vec::new();
    for (name, tag, about_tag, variant_names) in UNIONS {
        let mut base = schemas[name].take();
        let variants = base["oneOf"].take();
        let mut names = Vec::new();
        for variant in variants.as_array().into_iter().flatten() {
            let value = variant["properties"][tag]["const"].as_str().unwrap_or_default().to_owned();
            let variant_name = variant_names.replace("{}", &pascal_case(&value));
            let mut merged = merged(&base, variant);
            merged["properties"][tag]["description"] = json!(about_tag);
            schemas.insert(variant_name.clone(), merged);
            names.push((value, variant_name));
        }
        schemas[name] = with_description(tagged(tag, &names), base["description"].as_str().unwrap_or_default());
        if name == "FiscalDocument" {
            documents = names.iter().map(|(_, name)| reference(name)).collect();
        }
    }
    let object = &mut schemas["Event"]["properties"]["data"]["properties"]["object"];
    let mut alternatives: Vec<Value> = object["anyOf"].as_array().into_iter().flatten().cloned().collect();
    alternatives.retain(|alternative| *alternative != reference("FiscalDocument"));
    alternatives.append(&mut documents);
    *object = json!({"oneOf": alternatives, "description": object["description"]});
}

/// Returns the object with the properties of both. `base` states the type.
fn merged(base: &Value, variant: &Value) -> Value {
    let properties = [base, variant].into_iter().filter_map(|object| object["properties"].as_object());
    let required = [base, variant].into_iter().filter_map(|object| object["required"].as_array());
    let properties: Map<String, Value> =
        properties.flatten().map(|(name, property)| (name.clone(), property.clone())).collect();
    let required: Vec<&Value> = required.flatten().collect();
    json!({"type": "object", "properties": properties, "required": required})
}
