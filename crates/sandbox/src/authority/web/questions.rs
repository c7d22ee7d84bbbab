//! What the authority says of what it has received.

use std::sync::PoisonError;

use chrono::{DateTime, Utc};
use domain::fiscal::{Environment, Route, Verdict};
use serde_json::{Value, json};

use super::{
    desk::Desk,
    words::{self, Query},
};
use crate::{
    authority::reception::{Reception, Ruling},
    demo_buyers,
    server::Response,
};

/// How many receipts are counted.
const COUNT_LIMIT: usize = 10_000;

impl Desk {
    /// The answer to a question.
    pub(super) fn question(
        &self,
        environment: Environment,
        service: &str,
        query: &Query,
        now: DateTime<Utc>,
    ) -> Response {
        let is_for_certification = environment == Environment::Certification;
        let answer = match service {
            words::RESULT => self.result(environment, query, now),
            words::SUMMARY => self.summary(environment, query, now),
            _ if is_for_certification => return Response::page(404, "Not Found"),
            words::STATUS => self.status(environment, query, now),
            words::TRACKS => self.tracks(environment, query, now),
            words::DIRECTORY => directory(query),
            _ => return Response::page(404, "Not Found"),
        };
        Response::json(&answer)
    }

    fn result(&self, environment: Environment, query: &Query, now: DateTime<Utc>) -> Value {
        let track_id = query.get("trackid").replace('-', "");
        let twice = self.twice.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(it) = twice.iter().find(|it| it.environment == environment && it.track_id == track_id) {
            return words::used(it.issuer.as_str(), it.number.as_str());
        }
        let is_it = |it: &Reception| {
            it.environment == environment && it.track_id.as_ref() == Some(&track_id) && it.visible_at <= now
        };
        let Some(reception) = self.authority.registry.all(is_it).pop() else { return words::not_found() };
        let asked = self.count(track_id);
        let is_being_looked_at = matches!(reception.answer(asked, now), Verdict::InProcess { .. });
        if is_being_looked_at || asked < self.manners.now().in_process {
            return words::in_process(&reception);
        }
        words::ruling(&reception)
    }

    /// How often a receipt was asked about before.
    fn count(&self, track_id: String) -> u32 {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() >= COUNT_LIMIT {
            asked.clear();
        }
        let times = asked.entry(track_id).or_default();
        let before = *times;
        *times = times.saturating_add(1);
        before
    }

    fn summary(&self, environment: Environment, query: &Query, now: DateTime<Utc>) -> Value {
        let (issuer, number) = (query.get("rnc_emisor"), query.get("encf"));
        let code = query.get("cod_seguridad_ecf");
        let found = self.seen(environment, (issuer, number), now);
        let is_it = |it: &Reception| it.route == Route::Summary && it.security_code.as_deref() == Some(code);
        found.into_iter().rfind(is_it).map_or_else(words::not_found, |it| words::ruling(&it))
    }

    fn status(&self, environment: Environment, query: &Query, now: DateTime<Utc>) -> Value {
        let (issuer, number) = (query.get("rncemisor"), query.get("ncfelectronico"));
        let code = query.get("codigoseguridad");
        let found = self.seen(environment, (issuer, number), now);
        let is_it = |it: &Reception| code.is_empty() || it.security_code.as_deref() == Some(code);
        found.into_iter().rfind(is_it).map_or_else(words::not_found, |it| words::status(&it))
    }

    fn tracks(&self, environment: Environment, query: &Query, now: DateTime<Utc>) -> Value {
        let (issuer, number) = (query.get("rncemisor"), query.get("encf"));
        let received = self.seen(environment, (issuer, number), now).into_iter();
        let first = received.filter_map(|it| {
            let state = if matches!(it.ruling, Ruling::Accepted { .. }) { "Aceptado" } else { "Rechazado" };
            Some(words::track(it.track_id.as_deref()?, state, it.received_at))
        });
        let twice = self.twice.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_it = |it: &&super::desk::Twice| {
            it.environment == environment && it.issuer.as_str() == issuer && it.number.as_str() == number
        };
        let again = twice.iter().filter(is_it).map(|it| words::track(&it.track_id, "Rechazado", it.received_at));
        first.chain(again).collect()
    }

    /// What has come under a number and can be seen.
    fn seen(&self, environment: Environment, (issuer, number): (&str, &str), now: DateTime<Utc>) -> Vec<Reception> {
        self.authority.registry.all(|it| {
            it.environment == environment
                && it.issuer.as_str() == issuer
                && it.number.as_str() == number
                && it.visible_at <= now
        })
    }
}

/// One company takes documents electronically.
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
