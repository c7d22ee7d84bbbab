//! What DGII knows of a document that was sent.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::fiscal::{ProblemCode, Route, Verdict, local_time};
use ports::Inquiry;

use crate::{
    Dgii,
    answer::{Answer, Body},
    classify::{About, Wire, is_ours, looked_up, says_nothing_is_there},
    connection::Service,
    port::note,
    token::Barrier,
};

/// So many receipts under one number are looked at; each sending has made one.
const MAX_TRACKS: usize = 20;
/// By then every service of DGII has heard of what one of them accepted.
const SETTLED: TimeDelta = TimeDelta::minutes(10);

/// A receipt that DGII gave under a number.
pub(crate) struct Track {
    id: String,
    /// When, in local time.
    received_at: Option<NaiveDateTime>,
}

impl Dgii {
    /// What is known of a document; `None` if that is not clear.
    pub(crate) async fn find(&self, inquiry: &Inquiry) -> Result<Option<Verdict>, Barrier> {
        if inquiry.route == Route::Summary {
            return self.summary(inquiry).await;
        }
        let by_receipt = match &inquiry.track_id {
            Some(track_id) => self.result(inquiry, track_id).await?,
            None => Some(Verdict::NotFound),
        };
        match by_receipt {
            // A receipt of the second sending says of the first no more than that it came.
            Some(Verdict::NotFound | Verdict::Duplicate) if Service::Tracks.is_offered(inquiry.environment) => {
                self.by_number(inquiry).await
            }
            other => Ok(other),
        }
    }

    /// A summary is found by the security code of its document.
    async fn summary(&self, inquiry: &Inquiry) -> Result<Option<Verdict>, Barrier> {
        let query = format!(
            "?RNC_Emisor={}&ENCF={}&Cod_Seguridad_eCF={}",
            inquiry.issuer.as_str(),
            inquiry.number,
            encoded(&inquiry.security_code)
        );
        let seen = self.question(inquiry, Service::Summary, &query).await?;
        Ok(self.read(inquiry, &seen, None))
    }

    async fn result(&self, inquiry: &Inquiry, track_id: &str) -> Result<Option<Verdict>, Barrier> {
        let seen = self.question(inquiry, Service::Result, &format!("?trackid={}", encoded(track_id))).await?;
        Ok(self.read(inquiry, &seen, Some(track_id)))
    }

    /// Of everything that came under the number, what counts: an acceptance, else what is still being looked at, else the
    /// last refusal.
    async fn by_number(&self, inquiry: &Inquiry) -> Result<Option<Verdict>, Barrier> {
        let Some(tracks) = self.tracks(inquiry).await? else { return Ok(None) };
        if tracks.is_empty() {
            return Ok(Some(Verdict::NotFound));
        }
        let (mut waiting, mut refused, mut is_unclear) = (None, None, false);
        for track in tracks {
            match self.result(inquiry, &track.id).await? {
                Some(accepted @ Verdict::Accepted(_)) => return self.judged(inquiry, &track, accepted).await,
                Some(in_process @ Verdict::InProcess { .. }) => waiting = Some(in_process),
                Some(rejected @ Verdict::Rejected { .. }) => refused = Some(rejected),
                Some(Verdict::Duplicate) => {}
                _ => is_unclear = true,
            }
        }
        Ok(waiting.or(refused.filter(|_| !is_unclear)))
    }

    /// What an acceptance under the number means for the document with that security code.
    async fn judged(&self, inquiry: &Inquiry, track: &Track, accepted: Verdict) -> Result<Option<Verdict>, Barrier> {
        let buyer = inquiry.buyer.as_ref().map(|it| format!("&rnccomprador={}", it.as_str())).unwrap_or_default();
        let query = format!(
            "?rncemisor={}&ncfelectronico={}{buyer}&codigoseguridad={}",
            inquiry.issuer.as_str(),
            inquiry.number,
            encoded(&inquiry.security_code)
        );
        let seen = self.question(inquiry, Service::Status, &query).await?;
        Ok(match is_ours(&seen, about(inquiry), &inquiry.security_code) {
            Some(true) => Some(accepted),
            Some(false) if track.is_settled(self.clock.now()) => {
                let code = ProblemCode::DuplicateNumber;
                Some(Verdict::Rejected { code, is_number_spent: code.spends_number(), said: Vec::new() })
            }
            // One service may not have heard yet what the other has accepted.
            Some(false) | None => None,
        })
    }

    /// The receipts under the number, the oldest first; `None` if that is not clear.
    pub(crate) async fn tracks(&self, inquiry: &Inquiry) -> Result<Option<Vec<Track>>, Barrier> {
        let query = format!("?rncemisor={}&encf={}", inquiry.issuer.as_str(), inquiry.number);
        let seen = self.question(inquiry, Service::Tracks, &query).await?;
        let Wire::Answered { status: 200..=299 | 404, body: Body::Said(answer) } = seen else { return Ok(None) };
        if says_nothing_is_there(&answer) {
            return Ok(Some(Vec::new()));
        }
        let Some(items) = answer.items() else { return Ok(None) };
        let mut tracks: Vec<Track> = items.iter().filter_map(Track::read).collect();
        if tracks.len() < items.len() || tracks.len() > MAX_TRACKS {
            return Ok(None);
        }
        tracks.sort_by_key(|it| it.received_at);
        Ok(Some(tracks))
    }

    async fn question(&self, inquiry: &Inquiry, service: Service, query: &str) -> Result<Wire, Barrier> {
        self.ask(&inquiry.tenant, (service, inquiry.environment), query, None).await
    }

    fn read(&self, inquiry: &Inquiry, seen: &Wire, track_id: Option<&str>) -> Option<Verdict> {
        let found = looked_up(seen, about(inquiry), track_id);
        let document = format!("{}{}", inquiry.issuer.as_str(), inquiry.number);
        note(&document, seen, found.as_ref().unwrap_or(&Verdict::Unknown));
        found
    }
}

impl Track {
    fn read(answer: &Answer) -> Option<Self> {
        let received_at = answer.text(&["fechaRecepcion"]).and_then(|it| local_instant(&it));
        Some(Self { id: answer.text(&["trackId"])?, received_at })
    }

    fn is_settled(&self, now: DateTime<Utc>) -> bool {
        self.received_at.is_some_and(|it| local_time(now).signed_duration_since(it) >= SETTLED)
    }
}

const fn about(inquiry: &Inquiry) -> About<'_> {
    About { issuer: &inquiry.issuer, number: &inquiry.number }
}

/// A local time as DGII was seen to spell it.
fn local_instant(text: &str) -> Option<NaiveDateTime> {
    let forms = ["%m/%d/%Y %I:%M:%S %p", "%d-%m-%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S%.f"];
    forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
}

/// A value in a query: a security code may hold `+` and `/`.
pub(crate) fn encoded(value: &str) -> String {
    let spell = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    value.bytes().map(spell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_security_code_survives_its_query() {
        assert_eq!(encoded("aB+/1z"), "aB%2B%2F1z");
        assert_eq!(encoded("a-b é&"), "a-b%20%C3%A9%26");
    }

    #[test]
    fn times_are_read_as_dgii_spells_them() {
        let time = |text| local_instant(text).map(|it| it.to_string());

        assert_eq!(time("8/15/2023 6:06:57 AM").as_deref(), Some("2023-08-15 06:06:57"));
        assert_eq!(time("12/05/2023 12:06:57 PM").as_deref(), Some("2023-12-05 12:06:57"));
        assert_eq!(time("15-08-2023 18:06:57").as_deref(), Some("2023-08-15 18:06:57"));
        assert_eq!(time("2023-08-15T18:06:57.123").as_deref(), Some("2023-08-15 18:06:57.123"));
        assert_eq!(time("yesterday"), None);
    }
}
