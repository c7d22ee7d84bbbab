//! Decline codes of issuers (ISO 8583, field 39), and the public ones.

use domain::payment::DeclineCode::{
    self, AuthenticationFailed, CardExpired, CardReportedLostOrStolen, CardRestricted, DoNotHonor, ExceedsLimit,
    GenericDecline, IncorrectPin, IncorrectSecurityCode, InsufficientFunds, InvalidCardNumber, IssuerUnavailable,
    SuspectedFraud, TransactionNotPermitted,
};

/// Each public code with its issuer codes. Codes that AZUL reads differently (08, 63, 82, 83) follow AZUL.
const DECLINES: &[(DeclineCode, &[&str])] = &[
    (DoNotHonor, &["05", "01", "02"]),
    (CardRestricted, &["04", "46", "62", "63", "78", "82", "5C", "9G"]),
    (SuspectedFraud, &["07", "59", "83"]),
    (AuthenticationFailed, &["08", "1A", "3D"]),
    (TransactionNotPermitted, &["12", "57", "58", "93", "R0", "R1", "R3"]),
    (ExceedsLimit, &["13", "61", "65"]),
    (InvalidCardNumber, &["14", "15"]),
    (IssuerUnavailable, &["28", "91", "92", "96"]),
    (CardReportedLostOrStolen, &["41", "43"]),
    (InsufficientFunds, &["51"]),
    (CardExpired, &["54"]),
    (IncorrectPin, &["55", "70", "75"]),
    (IncorrectSecurityCode, &["N7"]),
    (GenericDecline, &["99", "03", "06", "19", "30"]),
];

/// Returns the public code of a decline; `None` for an approval (`00`) and for codes without a decision (`68`, `94`).
pub(crate) fn decline(code: &str) -> Option<DeclineCode> {
    DECLINES.iter().find(|(_, codes)| codes.contains(&code)).map(|&(decline, _)| decline)
}

/// Returns an issuer code of the decline.
pub(crate) fn code(of: DeclineCode) -> &'static str {
    let row = DECLINES.iter().find(|(decline, _)| *decline == of);
    row.and_then(|(_, codes)| codes.first()).copied().unwrap_or("05")
}
