//! Queries about received documents.

use chrono::{DateTime, Utc};
use domain::fiscal::{Environment, Route, Verdict};
use serde_json::{Value, json};

use super::{
    api::{AuthorityApi, RepeatedDocument},
    responses::{self, Query},
};
use crate::{
    authority::{reception::Reception, ruling::Ruling},
    directory::demo_buyers,
    server::Response,
};

/// Maximum number of counted tracking ids.
const COUNT_LIMIT: usize = 10_000;

impl AuthorityApi {
    /// Returns the response to a query.
    pub(super) fn question(
        &self,
        environment: Environment,
        service: &str,
        query: &Query,
        now: DateTime<Utc>,
    ) -> Response {
        let is_for_certification = environment == Environment::Certification;
        let body = match service {
            responses::RESULT => self.result(environment, query, now),
            responses::SUMMARY => self.summary(environment, query, now),
            _ if is_for_certification => return Response::page(404, "Not Found"),
            responses::STATUS => self.status(environment, query, now),
            responses::TRACKS => self.tracks(environment, query, now),
            responses::DIRECTORY => directory(query),
            _ => return Response::page(404, "Not Found"),
        };
        Response::json(&body)
    }

    fn result(&self, environment: Environment, query: &Query, now: DateTime<Utc>) -> Value {
        let track_id = query.get("trackid").replace('-', "");
        let twice = self.twice.lock().clone();
        if let Some(it) = twice.iter().find(|it| it.environment == environment && it.track_id == track_id) {
            return responses::used(it.issuer.as_str(), it.number.as_str());
        }
        let is_it = |it: &Reception| {
            it.environment == environment && it.track_id.as_ref() == Some(&track_id) && it.visible_at <= now
        };
        let Some(reception) = self.authority.registry.all(is_it).pop() else { return responses::not_found() };
        let queries = self.count(track_id);
        let is_in_process = matches!(reception.verdict(queries, now), Verdict::InProcess { .. });
        if is_in_process || queries < self.behavior.now().in_process {
            return responses::in_process(&reception);
        }
        responses::ruling(&reception)
    }

    /// Counts a query, and returns the number of earlier ones.
    fn count(&self, track_id: String) -> u32 {
        let mut query_counts = self.query_counts.lock();
        if query_counts.len() >= COUNT_LIMIT {
            query_counts.clear();
        }
        let times = query_counts.entry(track_id).or_default();
        let before = *times;
        *times = times.saturating_add(1);
        before
    }

    fn summary(&self, environment: Environment, query: &Query, now: DateTime<Utc>) -> Value {
        let (issuer, number) = (query.get("rnc_emisor"), query.get("encf"));
        let code = query.get("cod_seguridad_ecf");
        let found = self.visible(environment, (issuer, number), now);
        let is_it = |it: &Reception| it.route == Route::Summary && it.security_code.as_deref() == Some(code);
        found.into_iter().rfind(is_it).map_or_else(responses::not_found, |it| responses::ruling(&it))
    }

    fn status(&self, environment: Environment, query: &Query, now: DateTime<Utc>) -> Value {
        let (issuer, number) = (query.get("rncemisor"), query.get("ncfelectronico"));
        let code = query.get("codigoseguridad");
        let found = self.visible(environment, (issuer, number), now);
        let is_it = |it: &Reception| code.is_empty() || it.security_code.as_deref() == Some(code);
        found.into_iter().rfind(is_it).map_or_else(responses::not_found, |it| responses::status(&it))
    }

    fn tracks(&self, environment: Environment, query: &Query, now: DateTime<Utc>) -> Value {
        let (issuer, number) = (query.get("rncemisor"), query.get("encf"));
        let received = self.visible(environment, (issuer, number), now).into_iter();
        let first = received.filter_map(|it| {
            let state = if matches!(it.ruling, Ruling::Accepted { .. }) { "Aceptado" } else { "Rechazado" };
            Some(responses::track(it.track_id.as_deref()?, state, it.received_at))
        });
        let twice = self.twice.lock().clone();
        let is_it = |it: &&RepeatedDocument| {
            it.environment == environment && it.issuer.as_str() == issuer && it.number.as_str() == number
        };
        let again = twice.iter().filter(is_it).map(|it| responses::track(&it.track_id, "Rechazado", it.received_at));
        first.chain(again).collect()
    }

    /// Returns the receptions under a number that queries already find.
    fn visible(&self, environment: Environment, (issuer, number): (&str, &str), now: DateTime<Utc>) -> Vec<Reception> {
        self.authority.registry.all(|it| {
            it.environment == environment
                && it.issuer.as_str() == issuer
                && it.number.as_str() == number
                && it.visible_at <= now
        })
    }
}

/// The only electronic receiver is the demo company.
fn directory(query: &Query) -> Value {
    let company = demo_buyers().company;
    if query.get("rnc") != company {
        return json!([]);
    }
    json!({
        "nombre": "COMERCIAL DEMOSTRACIÓN, SRL",
        "rnc": company,
        "urlRecepcion": "https://receiver.example/fe/recepcion/api/ecf",
        "urlAceptacion": "https://receiver.example/fe/aprobacioncomercial/api/ecf",
        "urlOpcional": null,
    })
}
