//! Look-ups of documents that were sent.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::fiscal::{ProblemCode, Route, Verdict, local_time};
use ports::Inquiry;

use crate::{
    Dgii,
    classify::{ExpectedDocument, HttpResult, is_not_found, is_ours, look_up_verdict},
    connection::Service,
    port::log_refusal,
    response::{Body, DgiiResponse},
    token::AccessError,
};

/// Maximum number of receipts for one number. Each submission has one.
const MAX_RECEIPTS: usize = 20;
/// Time after which all services of DGII know an accepted document.
const SETTLED_AFTER: TimeDelta = TimeDelta::minutes(10);

/// DGII's receipt of a submission.
pub(crate) struct Receipt {
    id: String,
    /// Local time of the submission.
    received_at: Option<NaiveDateTime>,
}

impl Dgii {
    /// Returns the state of a document; `None` if DGII's responses are unclear.
    pub(crate) async fn find(&self, inquiry: &Inquiry) -> Result<Option<Verdict>, AccessError> {
        if inquiry.route == Route::Summary {
            return self.find_summary(inquiry).await;
        }
        let by_receipt = match &inquiry.track_id {
            Some(track_id) => self.find_by_receipt(inquiry, track_id).await?,
            None => Some(Verdict::NotFound),
        };
        match by_receipt {
            // The receipt of a second submission does not show the state of the first.
            Some(Verdict::NotFound | Verdict::Duplicate) if Service::Receipts.is_offered(inquiry.environment) => {
                self.find_by_number(inquiry).await
            }
            other => Ok(other),
        }
    }

    /// Summaries are found by the security code of the document.
    async fn find_summary(&self, inquiry: &Inquiry) -> Result<Option<Verdict>, AccessError> {
        let query = format!(
            "?RNC_Emisor={}&ENCF={}&Cod_Seguridad_eCF={}",
            inquiry.issuer.as_str(),
            inquiry.number,
            percent_encoded(&inquiry.security_code)
        );
        let result = self.query(inquiry, Service::Summary, &query).await?;
        Ok(self.verdict(inquiry, &result, None))
    }

    async fn find_by_receipt(&self, inquiry: &Inquiry, track_id: &str) -> Result<Option<Verdict>, AccessError> {
        let result = self.query(inquiry, Service::Result, &format!("?trackid={}", percent_encoded(track_id))).await?;
        Ok(self.verdict(inquiry, &result, Some(track_id)))
    }

    /// Returns the state of the number over all submissions: accepted, otherwise in process, otherwise the last
    /// rejection.
    async fn find_by_number(&self, inquiry: &Inquiry) -> Result<Option<Verdict>, AccessError> {
        let Some(receipts) = self.receipts(inquiry).await? else { return Ok(None) };
        if receipts.is_empty() {
            return Ok(Some(Verdict::NotFound));
        }
        let (mut waiting, mut refused, mut is_unclear) = (None, None, false);
        for receipt in receipts {
            match self.find_by_receipt(inquiry, &receipt.id).await? {
                Some(accepted @ Verdict::Accepted(_)) => {
                    return self.confirm_acceptance(inquiry, &receipt, accepted).await;
                }
                Some(in_process @ Verdict::InProcess { .. }) => waiting = Some(in_process),
                Some(rejected @ Verdict::Rejected { .. }) => refused = Some(rejected),
                Some(Verdict::Duplicate) => {}
                _ => is_unclear = true,
            }
        }
        Ok(waiting.or(refused.filter(|_| !is_unclear)))
    }

    /// Checks that the accepted document is the one with this security code.
    async fn confirm_acceptance(
        &self,
        inquiry: &Inquiry,
        receipt: &Receipt,
        accepted: Verdict,
    ) -> Result<Option<Verdict>, AccessError> {
        let buyer = inquiry.buyer.as_ref().map(|it| format!("&rnccomprador={}", it.as_str())).unwrap_or_default();
        let query = format!(
            "?rncemisor={}&ncfelectronico={}{buyer}&codigoseguridad={}",
            inquiry.issuer.as_str(),
            inquiry.number,
            percent_encoded(&inquiry.security_code)
        );
        let result = self.query(inquiry, Service::Status, &query).await?;
        Ok(match is_ours(&result, expected(inquiry), &inquiry.security_code) {
            Some(true) => Some(accepted),
            Some(false) if receipt.is_settled(self.clock.now()) => {
                let code = ProblemCode::DuplicateNumber;
                Some(Verdict::Rejected { code, is_number_spent: code.spends_number(), authority_messages: Vec::new() })
            }
            // The services may not be consistent yet.
            Some(false) | None => None,
        })
    }

    /// Returns the receipts of the number, oldest first; `None` if the response is unclear.
    pub(crate) async fn receipts(&self, inquiry: &Inquiry) -> Result<Option<Vec<Receipt>>, AccessError> {
        let query = format!("?rncemisor={}&encf={}", inquiry.issuer.as_str(), inquiry.number);
        let result = self.query(inquiry, Service::Receipts, &query).await?;
        let HttpResult::Response { status: 200..=299 | 404, body: Body::Content(response) } = result else {
            return Ok(None);
        };
        if is_not_found(&response) {
            return Ok(Some(Vec::new()));
        }
        let Some(items) = response.items() else { return Ok(None) };
        let mut receipts: Vec<Receipt> = items.iter().filter_map(Receipt::parse).collect();
        if receipts.len() < items.len() || receipts.len() > MAX_RECEIPTS {
            return Ok(None);
        }
        receipts.sort_by_key(|it| it.received_at);
        Ok(Some(receipts))
    }

    async fn query(&self, inquiry: &Inquiry, service: Service, query: &str) -> Result<HttpResult, AccessError> {
        self.send(&inquiry.tenant, (service, inquiry.environment), query, None).await
    }

    fn verdict(&self, inquiry: &Inquiry, result: &HttpResult, track_id: Option<&str>) -> Option<Verdict> {
        let found = look_up_verdict(result, expected(inquiry), track_id);
        let document = format!("{}{}", inquiry.issuer.as_str(), inquiry.number);
        log_refusal(&document, result, found.as_ref().unwrap_or(&Verdict::Unknown));
        found
    }
}

impl Receipt {
    fn parse(response: &DgiiResponse) -> Option<Self> {
        let received_at = response.text(&["fechaRecepcion"]).and_then(|it| local_instant(&it));
        Some(Self { id: response.text(&["trackId"])?, received_at })
    }

    fn is_settled(&self, now: DateTime<Utc>) -> bool {
        self.received_at.is_some_and(|it| local_time(now).signed_duration_since(it) >= SETTLED_AFTER)
    }
}

const fn expected(inquiry: &Inquiry) -> ExpectedDocument<'_> {
    ExpectedDocument { issuer: &inquiry.issuer, number: &inquiry.number }
}

/// Parses a local time in one of DGII's formats.
fn local_instant(text: &str) -> Option<NaiveDateTime> {
    let forms = ["%m/%d/%Y %I:%M:%S %p", "%d-%m-%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S%.f"];
    forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
}

/// Encodes a value for a query. A security code may contain `+` and `/`.
pub(crate) fn percent_encoded(value: &str) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    value.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_security_code_is_percent_encoded() {
        assert_eq!(percent_encoded("aB+/1z"), "aB%2B%2F1z");
        assert_eq!(percent_encoded("a-b é&"), "a-b%20%C3%A9%26");
    }

    #[test]
    fn times_are_parsed_in_dgiis_formats() {
        let time = |text| local_instant(text).map(|it| it.to_string());

        assert_eq!(time("8/15/2023 6:06:57 AM").as_deref(), Some("2023-08-15 06:06:57"));
        assert_eq!(time("12/05/2023 12:06:57 PM").as_deref(), Some("2023-12-05 12:06:57"));
        assert_eq!(time("15-08-2023 18:06:57").as_deref(), Some("2023-08-15 18:06:57"));
        assert_eq!(time("2023-08-15T18:06:57.123").as_deref(), Some("2023-08-15 18:06:57.123"));
        assert_eq!(time("yesterday"), None);
    }
}
