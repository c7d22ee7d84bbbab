//! AZUL's codes and texts, in our words: one table for each place in which AZUL puts them.
//!
//! Sources: AZUL's developer portal for the texts that it documents, and the networks' published
//! categories of decline codes (Visa's rules as processors reprint them) for the others. The
//! numbers are those of the gateway behind AZUL, whose list has the same texts for the same numbers.

use domain::payment::DeclineCode::{
    AuthenticationFailed, CardExpired, CardReportedLostOrStolen, CardRestricted, DoNotHonor, ExceedsLimit,
    GenericDecline, IncorrectPin, IncorrectSecurityCode, InsufficientFunds, InvalidCardNumber, IssuerUnavailable,
    SuspectedFraud, TransactionNotPermitted,
};

use crate::classify::{
    Class::{self, Ambiguous, Approved, Busy, ChallengeAsked, Declined, MethodAsked, Rejected},
    Notice::{self, Nothing, SeeToIt},
};

/// A code or text, what it comes to, and whether somebody who runs the gateway has to see to it.
type Row = (&'static str, Class, Notice);

/// `IsoCode`, where the processor was reached (ISO 8583, field 39).
pub(crate) const ISO: &[Row] = &[
    ("00", Approved, Nothing),
    // AZUL: 3-D Secure.
    ("3D2METHOD", MethodAsked, Nothing),
    ("3D", ChallengeAsked, Nothing),
    ("08", Declined(AuthenticationFailed), Nothing), // AZUL: not authenticated
    ("1A", Declined(AuthenticationFailed), Nothing), // Visa 3
    // Nobody knows: too late an answer, or one of two.
    ("68", Ambiguous, Nothing),
    ("94", Ambiguous, Nothing),
    ("", Ambiguous, Nothing),
    ("01", Declined(DoNotHonor), Nothing),              // Visa 4
    ("02", Declined(DoNotHonor), Nothing),              // Visa 2
    ("05", Declined(DoNotHonor), Nothing),              // AZUL: DECLINADA; Visa 4
    ("03", Declined(GenericDecline), SeeToIt),          // AZUL: CONFIGURACIÓN INVALIDA
    ("06", Declined(GenericDecline), SeeToIt),          // Visa 4
    ("30", Declined(GenericDecline), SeeToIt),          // a fault in the format
    ("19", Declined(GenericDecline), Nothing),          // Visa 2
    ("04", Declined(CardRestricted), Nothing),          // AZUL: TARJETA CANCELADA; Visa 1
    ("46", Declined(CardRestricted), Nothing),          // Visa 1
    ("62", Declined(CardRestricted), Nothing),          // Visa 2
    ("63", Declined(CardRestricted), Nothing),          // AZUL: a security block for a while
    ("78", Declined(CardRestricted), Nothing),          // Visa 2
    ("82", Declined(CardRestricted), Nothing),          // AZUL: service not permitted, for a while
    ("5C", Declined(CardRestricted), Nothing),          // Visa 2, since April 2025
    ("9G", Declined(CardRestricted), Nothing),          // Visa 2, since April 2025
    ("07", Declined(SuspectedFraud), Nothing),          // Visa 1
    ("59", Declined(SuspectedFraud), Nothing),          // Visa 2
    ("83", Declined(SuspectedFraud), Nothing),          // AZUL: call the bank; Visa 2
    ("12", Declined(TransactionNotPermitted), Nothing), // Visa 1
    ("57", Declined(TransactionNotPermitted), Nothing), // Visa 1
    ("58", Declined(TransactionNotPermitted), SeeToIt), // not permitted at this terminal
    ("93", Declined(TransactionNotPermitted), Nothing), // Visa 2
    ("R0", Declined(TransactionNotPermitted), Nothing), // Visa 1
    ("R1", Declined(TransactionNotPermitted), Nothing), // Visa 1
    ("R3", Declined(TransactionNotPermitted), Nothing), // Visa 1
    ("13", Declined(ExceedsLimit), Nothing),            // AZUL: MONTO INVALIDO; Visa 4
    ("61", Declined(ExceedsLimit), Nothing),            // Visa 2
    ("65", Declined(ExceedsLimit), Nothing),            // Visa 2
    ("14", Declined(InvalidCardNumber), Nothing),       // AZUL: TARJETA INVALIDA; Visa 1
    ("15", Declined(InvalidCardNumber), Nothing),       // Visa 1
    ("28", Declined(IssuerUnavailable), Nothing),
    ("91", Declined(IssuerUnavailable), Nothing), // AZUL: EMISOR NO DISPONIBLE; Visa 2
    ("92", Declined(IssuerUnavailable), Nothing),
    ("96", Declined(IssuerUnavailable), Nothing),        // Visa 2
    ("41", Declined(CardReportedLostOrStolen), Nothing), // Visa 1
    ("43", Declined(CardReportedLostOrStolen), Nothing), // AZUL: TARJETA CANCELADA; Visa 1
    ("51", Declined(InsufficientFunds), Nothing),        // AZUL: INSUFICIENCIA DE FONDOS; Visa 2
    ("54", Declined(CardExpired), Nothing),              // AZUL: TARJETA VENCIDA; Visa 3
    ("55", Declined(IncorrectPin), Nothing),             // Visa 3
    ("70", Declined(IncorrectPin), Nothing),
    ("75", Declined(IncorrectPin), Nothing),          // Visa 2
    ("N7", Declined(IncorrectSecurityCode), Nothing), // Visa 3
    // AZUL: the description says more, in numbers or in words; this is for when it does not.
    ("99", Declined(GenericDecline), Nothing),
];

/// `SGS-…` in `ErrorDescription`: the gateway's own numbers, which say more than the issuer's code.
pub(crate) const GATEWAY: &[(u32, Class, Notice)] = &[
    (2303, Declined(InvalidCardNumber), Nothing),
    (2304, Declined(CardExpired), Nothing),
    (5002, Declined(TransactionNotPermitted), SeeToIt), // the merchant is not set up for the brand
    (5996, Declined(TransactionNotPermitted), Nothing), // the brand is not supported
    (5005, Declined(SuspectedFraud), Nothing),
    (50656, Declined(SuspectedFraud), Nothing),
    (50690, Declined(SuspectedFraud), Nothing),
    (5100, Declined(AuthenticationFailed), Nothing),
    (5101, Declined(AuthenticationFailed), Nothing),
    (5112, Declined(AuthenticationFailed), Nothing),
    (42755, Declined(AuthenticationFailed), Nothing),
    (50655, Declined(AuthenticationFailed), Nothing),
    (50678, Declined(AuthenticationFailed), Nothing),
    (50716, Declined(AuthenticationFailed), Nothing),
    (7778, Busy, Nothing),       // "timed out and has not been processed, please retry"
    (5998, Ambiguous, Nothing),  // another transaction with the same id is being processed
    (30050, Ambiguous, Nothing), // these timed out
    (30052, Ambiguous, Nothing),
    (30053, Ambiguous, Nothing),
    (30054, Ambiguous, Nothing),
    (30062, Ambiguous, Nothing),
    (30508, Ambiguous, Nothing),
    (10501, Ambiguous, Nothing), // captured already, or no longer to be captured
    (10422, Ambiguous, Nothing),
    (10424, Ambiguous, Nothing),
    (5004, Ambiguous, Nothing), // nothing reserved, nothing to void, or not to be voided
    (5006, Ambiguous, Nothing),
    (5018, Ambiguous, Nothing),
    (5019, Ambiguous, Nothing),
    (5022, Ambiguous, Nothing),
    (50308, Ambiguous, Nothing), // the transaction is in the wrong state
    (5009, Rejected, Nothing),   // nothing to return, or too old for it
    (5995, Rejected, Nothing),
];

/// What the description or the message of a `99` may contain, in capitals.
pub(crate) const WORDS: &[Row] = &[
    ("CVC", Declined(IncorrectSecurityCode), Nothing),
    ("CCV", Declined(IncorrectSecurityCode), Nothing),
    ("INSUF FONDOS", Declined(InsufficientFunds), Nothing),
    ("TARJETA INVALIDA", Declined(InvalidCardNumber), Nothing),
    ("PROVEEDOR INVALIDO", Declined(GenericDecline), SeeToIt),
];

/// What `ErrorDescription` begins with where AZUL did not process the request, the first match
/// first. What begins otherwise is in doubt.
pub(crate) const TEXTS: &[Row] = &[
    // Begins like a wrong password, and AZUL lists it among the failures of its own system.
    ("INVALID_AUTH:Hash Mismatch", Ambiguous, Nothing),
    // The account is not ready.
    ("MISSING_AUTH_HEADER", Rejected, SeeToIt),
    ("INVALID_AUTH", Rejected, SeeToIt),
    ("DISABLED_PROFILE", Rejected, SeeToIt),
    ("INVALID_MERCHANTID", Rejected, SeeToIt),
    ("INVALID_CHANNEL", Rejected, SeeToIt),
    ("INVALID_VPN_IPADDRESS", Rejected, SeeToIt),
    ("INVALID_CLIENT_CERT", Rejected, SeeToIt),
    ("MISSING_CLIENT_CERT", Rejected, SeeToIt),
    // The request is not as it should be.
    ("VALIDATION_ERROR:TrxType", Rejected, SeeToIt), // the operation is switched off for the merchant
    ("VALIDATION_ERROR:CurrencyPosCode", Rejected, SeeToIt),
    ("VALIDATION_ERROR:ForceNo3DS", Rejected, SeeToIt),
    ("VALIDATION_ERROR", Rejected, Nothing),
    ("PARSING_ERROR", Rejected, SeeToIt),
    ("INVALID_HTTP_METHOD", Rejected, SeeToIt),
    ("SSL_OFF", Rejected, SeeToIt),
    ("Amount to be posted", Rejected, SeeToIt),
    ("DataVault TokenId", Rejected, Nothing),
    // AZUL's own way to the gateway failed, and several of these may have come after it.
    ("PROCESSING_ERROR", Ambiguous, Nothing),
    ("FATAL_ERROR", Ambiguous, SeeToIt),
    ("The operation has timed out", Ambiguous, Nothing),
    ("The underlying connection was closed", Ambiguous, Nothing),
    ("500 - ", Ambiguous, Nothing),
    ("503 - ", Ambiguous, Nothing),
    ("The remote server returned an error", Ambiguous, Nothing),
    ("The request was aborted", Ambiguous, Nothing),
    // What was asked has been done, or cannot be: only the record tells which.
    ("WRONG TRANSACTION STATE", Ambiguous, Nothing),
    ("Original transaction is invalid", Ambiguous, Nothing),
    ("3DS repost detected", Ambiguous, Nothing),
    ("3DS time frame expired", Ambiguous, Nothing),
];
