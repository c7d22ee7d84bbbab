use super::super::operation::{
    Answer,
    Caller::{Key, Organizer, Pay, Receipt},
    Content::{Json, PrintedPdf, SignedXml},
    Operation,
};

const TAG: &str = "Fiscal documents";

pub(super) const OPERATIONS: &[Operation] =
    &[CHOOSE, GET, CORRECT, REVISIONS, GET_SIGNED, GET_PRINTED, GET_CONTINGENCY, REQUEST_DELIVERY];

/// Why a file of a document is not handed out.
const NO_FILE: &[&str] = &[
    "merchant_account_not_owned",
    "operation_not_permitted_for_checkout_token",
    "fiscal_document_not_found",
    "fiscal_artifact_not_ready",
    "receipt_retention_elapsed",
    "fiscal_artifact_retrieval_unavailable",
];

const CHOOSE: Operation = Operation {
    method: "put",
    path: "/v1/payments/{paymentId}/fiscal-document-choice",
    id: "chooseFiscalDocument",
    tag: TAG,
    summary: "Choose the kind and the buyer of the fiscal document",
    description: "Allowed until the payment is paid, within the kinds and locks that the sale was created with. A \
                  field that is left out keeps its value. A `fiscal_credit` or `government` document needs a buyer, \
                  whom the register of taxpayers confirms.",
    callers: &[Key, Pay, Organizer],
    parameters: &["PaymentId"],
    body: Some("ChooseFiscalDocument"),
    answer: Answer { status: 200, content: Json("CheckoutPayment", &["checkout-payment"]), has_etag: true },
    refusals: &[
        "precondition_failed",
        "merchant_account_not_ready",
        "fiscal_buyer_tax_id_invalid",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_awaiting_verification",
        "checkout_window_closed",
        "fiscal_preset_locked",
        "payment_not_editable",
        "fiscal_buyer_required",
        "fiscal_document_kind_not_allowed",
        "fiscal_document_kind_unsupported",
        "fiscal_government_eligibility_required",
        "fiscal_government_eligibility_not_allowed",
        "fiscal_buyer_not_registered",
        "fiscal_buyer_inactive",
        "fiscal_buyer_is_issuer",
        "fiscal_buyer_not_government_entity",
        "taxpayer_directory_unavailable",
    ],
};

const GET: Operation = Operation {
    method: "get",
    path: "/v1/fiscal_documents/{fiscalDocumentId}",
    id: "getFiscalDocument",
    tag: TAG,
    summary: "Retrieve a fiscal document",
    description: "Returns the document at its current revision. `status` decides which other fields it has. The \
                  holder of a receipt token gets it without the merchant's invoice and order numbers.",
    callers: &[Key, Receipt],
    parameters: &["FiscalDocumentId"],
    body: None,
    answer: Answer {
        status: 200,
        content: Json(
            "FiscalDocumentView",
            &["fiscal-document-issued", "fiscal-document-rejected", "fiscal-document-delayed", "receipt-document"],
        ),
        has_etag: true,
    },
    refusals: &[
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "fiscal_document_not_found",
    ],
};

const CORRECT: Operation = Operation {
    method: "post",
    path: "/v1/fiscal_documents/{fiscalDocumentId}/corrections",
    id: "correctFiscalDocument",
    tag: TAG,
    summary: "Correct a rejected fiscal document",
    description: "Replaces a document with status `rejected` by a new revision, which is then issued. Send every \
                  field again: the total of the lines must be the amount of the payment. Earlier revisions stay \
                  readable.",
    callers: &[Key],
    parameters: &["FiscalDocumentId"],
    body: Some("CorrectFiscalDocument"),
    answer: Answer { status: 201, content: Json("FiscalDocument", &["fiscal-document-requested"]), has_etag: true },
    refusals: &[
        "precondition_failed",
        "fiscal_buyer_tax_id_invalid",
        "fiscal_line_total_invalid",
        "fiscal_lines_required",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "fiscal_document_not_found",
        "fiscal_buyer_required",
        "fiscal_correction_not_allowed",
        "currency_not_supported_for_fiscal_document",
        "fiscal_total_mismatch",
        "fiscal_line_legal_tip_invalid",
        "fiscal_document_kind_not_allowed",
        "fiscal_document_kind_unsupported",
        "fiscal_government_eligibility_required",
        "fiscal_government_eligibility_not_allowed",
        "fiscal_buyer_not_registered",
        "fiscal_buyer_inactive",
        "fiscal_buyer_is_issuer",
        "fiscal_buyer_not_government_entity",
        "taxpayer_directory_unavailable",
    ],
};

const REVISIONS: Operation = Operation {
    method: "get",
    path: "/v1/fiscal_documents/{fiscalDocumentId}/revisions",
    id: "listFiscalRevisions",
    tag: TAG,
    summary: "List the earlier revisions of a fiscal document",
    description: "Returns the document as it was before each correction, newest revision first.",
    callers: &[Key],
    parameters: &["FiscalDocumentId", "Limit", "Cursor"],
    body: None,
    answer: Answer { status: 200, content: Json("FiscalDocumentList", &["fiscal-revision-list"]), has_etag: false },
    refusals: &[
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "fiscal_document_not_found",
    ],
};

const GET_SIGNED: Operation = Operation {
    method: "get",
    path: "/v1/fiscal_documents/{fiscalDocumentId}/signed-document",
    id: "getSignedDocument",
    tag: TAG,
    summary: "Download the signed XML",
    description: "Returns the bytes that were signed and that DGII accepted, after their hash was checked. Available \
                  once the document is issued.",
    callers: &[Key, Receipt],
    parameters: &["FiscalDocumentId"],
    body: None,
    answer: Answer { status: 200, content: SignedXml, has_etag: true },
    refusals: NO_FILE,
};

const GET_PRINTED: Operation = Operation {
    path: "/v1/fiscal_documents/{fiscalDocumentId}/printed-representation",
    id: "getPrintedRepresentation",
    summary: "Download the printed representation",
    description: "Returns a PDF with the QR code, byte for byte the same every time. Available once the document is \
                  issued and the PDF is rendered.",
    answer: Answer { status: 200, content: PrintedPdf, has_etag: true },
    ..GET_SIGNED
};

const GET_CONTINGENCY: Operation = Operation {
    path: "/v1/fiscal_documents/{fiscalDocumentId}/contingency-representation",
    id: "getContingencyRepresentation",
    summary: "Retrieve a contingency copy",
    description: "Returns a PDF with the tax authority's legend for contingencies. Available while the document is signed \
                  and `delayed` with `authority_unavailable` or `authority_result_unknown`.",
    ..GET_PRINTED
};

const REQUEST_DELIVERY: Operation = Operation {
    method: "post",
    path: "/v1/fiscal_documents/{fiscalDocumentId}/deliveries",
    id: "requestDelivery",
    tag: TAG,
    summary: "Send a fiscal document by e-mail",
    description: "Queues an e-mail with the XML and the PDF of an issued document. At most 5 deliveries of a document in \
                  24 hours.",
    callers: &[Key, Receipt],
    parameters: &["FiscalDocumentId"],
    body: Some("RequestDelivery"),
    answer: Answer { status: 202, content: Json("RequestedDelivery", &["requested-delivery"]), has_etag: false },
    refusals: &[
        "precondition_failed",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "fiscal_document_not_found",
        "fiscal_artifact_not_ready",
    ],
};
