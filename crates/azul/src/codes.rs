//! AZUL's codes and texts with their meaning: one table for each field.
//!
//! Sources: AZUL's developer portal for the texts that it documents; for the others, the networks' published categories
//! of decline codes (Visa's rules as processors reprint them). The numbers are those of the gateway behind AZUL, whose
//! list has the same texts for the same numbers.

use domain::payment::DeclineCode::{
    AuthenticationFailed, CardExpired, CardReportedLostOrStolen, CardRestricted, DoNotHonor, ExceedsLimit,
    GenericDecline, IncorrectPin, IncorrectSecurityCode, InsufficientFunds, InvalidCardNumber, IssuerUnavailable,
    SuspectedFraud, TransactionNotPermitted,
};

use crate::verdict::{
    Class::{self, Ambiguous, Approved, Busy, ChallengeRequired, Declined, MethodRequired, Rejected},
    OperatorAlert::{self, CheckSetup, NoAlert},
};

/// A code or text, its meaning, and the alert for operators.
type Row = (&'static str, Class, OperatorAlert);

/// Values of `IsoCode`, if the processor was reached (ISO 8583, field 39).
pub(crate) const ISO: &[Row] = &[
    ("00", Approved, NoAlert),
    // AZUL: 3-D Secure.
    ("3D2METHOD", MethodRequired, NoAlert),
    ("3D", ChallengeRequired, NoAlert),
    ("08", Declined(AuthenticationFailed), NoAlert), // AZUL: not authenticated
    ("1A", Declined(AuthenticationFailed), NoAlert), // Visa 3
    // Late or duplicate response of the issuer.
    ("68", Ambiguous, NoAlert),
    ("94", Ambiguous, NoAlert),
    ("", Ambiguous, NoAlert),
    ("01", Declined(DoNotHonor), NoAlert),                 // Visa 4
    ("02", Declined(DoNotHonor), NoAlert),                 // Visa 2
    ("05", Declined(DoNotHonor), NoAlert),                 // AZUL: DECLINADA; Visa 4
    ("03", Declined(GenericDecline), CheckSetup),          // AZUL: CONFIGURACIÓN INVALIDA
    ("06", Declined(GenericDecline), CheckSetup),          // Visa 4
    ("30", Declined(GenericDecline), CheckSetup),          // a fault in the format
    ("19", Declined(GenericDecline), NoAlert),             // Visa 2
    ("04", Declined(CardRestricted), NoAlert),             // AZUL: TARJETA CANCELADA; Visa 1
    ("46", Declined(CardRestricted), NoAlert),             // Visa 1
    ("62", Declined(CardRestricted), NoAlert),             // Visa 2
    ("63", Declined(CardRestricted), NoAlert),             // AZUL: a security block for a while
    ("78", Declined(CardRestricted), NoAlert),             // Visa 2
    ("82", Declined(CardRestricted), NoAlert),             // AZUL: service not permitted, for a while
    ("5C", Declined(CardRestricted), NoAlert),             // Visa 2, since April 2025
    ("9G", Declined(CardRestricted), NoAlert),             // Visa 2, since April 2025
    ("07", Declined(SuspectedFraud), NoAlert),             // Visa 1
    ("59", Declined(SuspectedFraud), NoAlert),             // Visa 2
    ("83", Declined(SuspectedFraud), NoAlert),             // AZUL: call the bank; Visa 2
    ("12", Declined(TransactionNotPermitted), NoAlert),    // Visa 1
    ("57", Declined(TransactionNotPermitted), NoAlert),    // Visa 1
    ("58", Declined(TransactionNotPermitted), CheckSetup), // not permitted at this terminal
    ("93", Declined(TransactionNotPermitted), NoAlert),    // Visa 2
    ("R0", Declined(TransactionNotPermitted), NoAlert),    // Visa 1
    ("R1", Declined(TransactionNotPermitted), NoAlert),    // Visa 1
    ("R3", Declined(TransactionNotPermitted), NoAlert),    // Visa 1
    ("13", Declined(ExceedsLimit), NoAlert),               // AZUL: MONTO INVALIDO; Visa 4
    ("61", Declined(ExceedsLimit), NoAlert),               // Visa 2
    ("65", Declined(ExceedsLimit), NoAlert),               // Visa 2
    ("14", Declined(InvalidCardNumber), NoAlert),          // AZUL: TARJETA INVALIDA; Visa 1
    ("15", Declined(InvalidCardNumber), NoAlert),          // Visa 1
    ("28", Declined(IssuerUnavailable), NoAlert),
    ("91", Declined(IssuerUnavailable), NoAlert), // AZUL: EMISOR NO DISPONIBLE; Visa 2
    ("92", Declined(IssuerUnavailable), NoAlert),
    ("96", Declined(IssuerUnavailable), NoAlert),        // Visa 2
    ("41", Declined(CardReportedLostOrStolen), NoAlert), // Visa 1
    ("43", Declined(CardReportedLostOrStolen), NoAlert), // AZUL: TARJETA CANCELADA; Visa 1
    ("51", Declined(InsufficientFunds), NoAlert),        // AZUL: INSUFICIENCIA DE FONDOS; Visa 2
    ("54", Declined(CardExpired), NoAlert),              // AZUL: TARJETA VENCIDA; Visa 3
    ("55", Declined(IncorrectPin), NoAlert),             // Visa 3
    ("70", Declined(IncorrectPin), NoAlert),
    ("75", Declined(IncorrectPin), NoAlert),          // Visa 2
    ("N7", Declined(IncorrectSecurityCode), NoAlert), // Visa 3
    // AZUL: the description has a number or words; this row applies if not.
    ("99", Declined(GenericDecline), NoAlert),
];

/// Numbers `SGS-…` in `ErrorDescription`, by meaning. They are more precise than the issuer's code.
pub(crate) const GATEWAY: &[(Class, OperatorAlert, &[u32])] = &[
    (Declined(InvalidCardNumber), NoAlert, &[2303]),
    (Declined(CardExpired), NoAlert, &[2304]),
    // The merchant is not set up for the brand, or the brand is not supported.
    (Declined(TransactionNotPermitted), CheckSetup, &[5002]),
    (Declined(TransactionNotPermitted), NoAlert, &[5996]),
    (Declined(SuspectedFraud), NoAlert, &[5005, 50656, 50690]),
    (Declined(AuthenticationFailed), NoAlert, &[5100, 5101, 5112, 42755, 50655, 50678, 50716]),
    // "timed out and has not been processed, please retry"
    (Busy, NoAlert, &[7778]),
    // Another transaction with the same id is being processed.
    (Ambiguous, NoAlert, &[5998]),
    // Timeouts.
    (Ambiguous, NoAlert, &[30050, 30052, 30053, 30054, 30062, 30508]),
    // Captured already, or no longer possible.
    (Ambiguous, NoAlert, &[10501, 10422, 10424]),
    // No hold to capture, no transaction to void, or a wrong state of the transaction.
    (Ambiguous, NoAlert, &STATE_NUMBERS),
    // No transaction to refund, or too old.
    (Rejected, NoAlert, &TOO_OLD_NUMBERS),
];

/// Numbers and starts of texts of refusals that follow from the state of the charge. [`TEXTS`] and [`GATEWAY`] call them
/// ambiguous.
pub(crate) const STATE_NUMBERS: [u32; 6] = [5004, 5006, 5018, 5019, 5022, 50308];
pub(crate) const STATE_TEXTS: [&str; 2] = ["ORIGINAL TRANSACTION IS INVALID", "WRONG TRANSACTION STATE"];
/// Numbers of refunds without a charge to refund, or of a charge that is too old.
pub(crate) const TOO_OLD_NUMBERS: [u32; 2] = [5009, 5995];

/// Words in the description or message of a code `99`, in capitals.
pub(crate) const WORDS: &[Row] = &[
    ("CVC", Declined(IncorrectSecurityCode), NoAlert),
    ("CCV", Declined(IncorrectSecurityCode), NoAlert),
    ("INSUF FONDOS", Declined(InsufficientFunds), NoAlert),
    ("TARJETA INVALIDA", Declined(InvalidCardNumber), NoAlert),
    ("PROVEEDOR INVALIDO", Declined(GenericDecline), CheckSetup),
];

/// Start of `ErrorDescription` if AZUL did not process the request. The first match counts; an unknown text is
/// ambiguous.
pub(crate) const TEXTS: &[Row] = &[
    // Similar to a wrong password, but AZUL lists this text among internal errors.
    ("INVALID_AUTH:Hash Mismatch", Ambiguous, NoAlert),
    // The account is not ready.
    ("MISSING_AUTH_HEADER", Rejected, CheckSetup),
    ("INVALID_AUTH", Rejected, CheckSetup),
    ("DISABLED_PROFILE", Rejected, CheckSetup),
    ("INVALID_MERCHANTID", Rejected, CheckSetup),
    ("INVALID_CHANNEL", Rejected, CheckSetup),
    ("INVALID_VPN_IPADDRESS", Rejected, CheckSetup),
    ("INVALID_CLIENT_CERT", Rejected, CheckSetup),
    ("MISSING_CLIENT_CERT", Rejected, CheckSetup),
    // The request is invalid.
    ("VALIDATION_ERROR:TrxType", Rejected, CheckSetup), // the operation is disabled for the merchant
    ("VALIDATION_ERROR:CurrencyPosCode", Rejected, CheckSetup),
    ("VALIDATION_ERROR:ForceNo3DS", Rejected, CheckSetup),
    ("VALIDATION_ERROR", Rejected, NoAlert),
    ("PARSING_ERROR", Rejected, CheckSetup),
    ("INVALID_HTTP_METHOD", Rejected, CheckSetup),
    ("SSL_OFF", Rejected, CheckSetup),
    ("Amount to be posted", Rejected, CheckSetup),
    ("DataVault TokenId", Rejected, NoAlert),
    // Errors between AZUL and the gateway, some of them after the transaction.
    ("PROCESSING_ERROR", Ambiguous, NoAlert),
    ("FATAL_ERROR", Ambiguous, CheckSetup),
    ("The operation has timed out", Ambiguous, NoAlert),
    ("The underlying connection was closed", Ambiguous, NoAlert),
    ("500 - ", Ambiguous, NoAlert),
    ("503 - ", Ambiguous, NoAlert),
    ("The remote server returned an error", Ambiguous, NoAlert),
    ("The request was aborted", Ambiguous, NoAlert),
    // The operation was done before, or is impossible: only the record shows which.
    ("WRONG TRANSACTION STATE", Ambiguous, NoAlert),
    ("Original transaction is invalid", Ambiguous, NoAlert),
    ("3DS repost detected", Ambiguous, NoAlert),
    ("3DS time frame expired", Ambiguous, NoAlert),
];
