"""Creates, pays, lists and corrects sales, and reads errors. Runs against a sandbox:

    COBRO_URL=http://127.0.0.1:8080 COBRO_KEY=gk_test_... python3 docs/examples/python/sale.py
"""

import os
import time
import uuid

from cobro import Cobro, Refused

url = os.environ["COBRO_URL"]
merchant = Cobro(url, os.environ["COBRO_KEY"])
run = uuid.uuid4().hex[:8]


def sale(invoice, minor_units=128000):
    """One dish at 1,000.00, with ITBIS of 18 % and the legal tip of 10 %."""
    line = {
        "sourceLineId": "1",
        "description": "Mofongo con camarón",
        "quantity": "1",
        "measurementUnit": "unit",
        "unitPriceMinorUnits": 100000,
        "itemKind": "good",
        "taxTreatment": "itbis_18",
        "isLegalTipApplicable": True,
    }
    document = {
        "issuanceMode": "deferred",
        "kind": "consumer",
        "merchantInvoiceNumber": invoice,
        "merchantOrderNumber": "1",
        "lines": [line],
    }
    amount = {"currency": "DOP", "minorUnits": minor_units}
    return {"saleReference": f"table-{run}", "amount": amount, "fiscalDocument": document}


def pay(payment):
    """Pays as the payer would. A merchant's server only sends payers to payment["nextAction"]["url"]."""
    token = merchant.post("/v1/checkout_tokens", {"checkoutReference": payment["checkoutReference"], "purpose": "pay"})
    card = {"number": "4222220000000008", "expirationMonth": 12, "expirationYear": 2035, "securityCode": "123"}
    return Cobro(url, token["token"]).post(f"/v1/payments/{payment['id']}/card-submissions", {"card": card})


def wait_for_document(payment, status):
    """Waits until the document of a payment has the status. A server would receive a webhook."""
    for _ in range(120):
        document = merchant.get(f"/v1/fiscal_documents/{payment['fiscalDocument']['id']}")
        if document["status"] == status:
            return document
        time.sleep(0.25)
    raise SystemExit(f"the document is still {document['status']}")


# Create. A retry with the same key returns the same payment.
key = f"table-{run}"
payment = merchant.post("/v1/payments", sale("F-0001"), key)
again = merchant.post("/v1/payments", sale("F-0001"), key)
assert again["id"] == payment["id"]
print("created", payment["id"])

# Pay, and retrieve. A decline would be a status, not an error.
paid = pay(payment)
assert paid["status"] == "succeeded", paid["status"]
issued = wait_for_document(payment, "issued")
print("issued", issued["fiscalNumber"])

# List three payments in pages of two.
others = [merchant.post("/v1/payments", sale(f"F-000{number}"))["id"] for number in (2, 3)]
listed = [payment["id"] for payment in merchant.pages("/v1/payments", saleReference=f"table-{run}", limit=2)]
assert sorted(listed) == sorted([payment["id"], *others]), listed
print("listed", len(listed))

# Correct. The sandbox's authority rejects the first revision of an invoice that begins with RJ-.
rejected = merchant.post("/v1/payments", sale(f"RJ-{run}"))
pay(rejected)
problem = wait_for_document(rejected, "rejected")["problem"]
print("rejected", problem["code"], "correctable" if problem["isCorrectable"] else "final")
content = sale(f"RJ-{run}")["fiscalDocument"]
correction = {name: content[name] for name in ("kind", "merchantInvoiceNumber", "merchantOrderNumber", "lines")}
merchant.post(f"/v1/fiscal_documents/{rejected['fiscalDocument']['id']}/corrections", correction)
corrected = wait_for_document(rejected, "issued")
print("corrected to revision", corrected["revision"])

# Errors, by code.
try:
    merchant.post("/v1/payments", sale("F-0009", minor_units=127999))
    raise SystemExit("a wrong total was accepted")
except Refused as refused:
    assert refused.code == "fiscal_total_mismatch", refused
    print("refused", refused.code)
try:
    merchant.post("/v1/payments", sale("F-0002"), key)
    raise SystemExit("a key was accepted for another request")
except Refused as refused:
    assert refused.code == "idempotency_key_reused", refused
    print("refused", refused.code)
