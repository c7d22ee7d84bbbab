"""Receives events. Runs against a sandbox that was started with --allow-private-webhooks:

    pip install standardwebhooks
    COBRO_URL=http://127.0.0.1:8080 COBRO_KEY=gk_test_... COBRO_ADMIN_KEY=gk_test_... python3 webhooks.py
"""

import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cobro import Cobro
from standardwebhooks import Webhook

# The valid signing secrets: two during a rotation.
secrets = []
# The newest state of each payment, with its sequence.
seen = {}
log = []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The signature covers these exact bytes: verify them before you parse them.
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = dict(self.headers.items())
        event = verify(secrets, body, headers)
        # Respond within 15 seconds, and do longer work afterwards. A failed event is sent again.
        self.send_response(401 if event is None else process(event, body, headers))
        self.end_headers()

    def log_message(self, *_):
        pass


def verify(secrets, body, headers):
    for secret in secrets:
        try:
            return Webhook(secret).verify(body, headers)
        except Exception:  # Another secret may have signed the event; a malformed signature is invalid.
            continue
    return None


def process(event, body, headers):
    """Processes an event and returns the HTTP status of the response."""
    try:
        handle(event)
    except Exception as failure:
        print(f"{event['id']} was not processed: {failure!r}", file=sys.stderr)
        return 500
    log.append((event, body, headers))
    return 204


def handle(event):
    """An event may arrive twice, or after a later one: compare `sequence`."""
    # Events without a payment have no sequence.
    if event["sequence"] is None or event["data"]["object"]["object"] != "payment":
        return
    payment = full_object(event["data"]["object"])
    if seen.get(payment["id"], (0, None))[0] < event["sequence"]:
        seen[payment["id"]] = (event["sequence"], payment["status"])


def full_object(subject):
    """Returns the object of an event. Retrieves an object that is too long for an event of 64 KiB."""
    if not subject.get("isTruncated"):
        return subject
    paths = {"payment": "/v1/payments/", "fiscal_document": "/v1/fiscal_documents/"}
    return merchant.get(paths[subject["object"]] + subject["id"])


def wait_for(name, is_match):
    for _ in range(200):
        for entry in list(log):
            if is_match(entry[0]):
                return entry
        time.sleep(0.05)
    raise RuntimeError(f"{name} did not arrive")


merchant = Cobro(os.environ["COBRO_URL"], os.environ["COBRO_KEY"])
admin = Cobro(os.environ["COBRO_URL"], os.environ["COBRO_ADMIN_KEY"])
server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
request = {"url": f"http://127.0.0.1:{server.server_port}/cobro", "enabledEvents": ["payment.*"]}
endpoint = admin.post("/v1/webhook_endpoints", request)
secrets.append(endpoint["signingSecret"])
at = f"/v1/webhook_endpoints/{endpoint['id']}"

# Send a test event.
test = admin.post(f"{at}/tests", {})
_, body, headers = wait_for("the test", lambda event: event["id"] == test["id"])
names = {name.lower(): name for name in headers}
assert headers[names["webhook-id"]] == test["id"]

# An altered event is refused.
moved = str(int(headers[names["webhook-timestamp"]]) + 1)
late = str(int(headers[names["webhook-timestamp"]]) - 6 * 60)
assert verify(secrets, body.replace(b"test", b"fake"), headers) is None
for name, value in [
    ("webhook-id", "event_1"),
    ("webhook-timestamp", moved),
    ("webhook-timestamp", late),
    ("webhook-signature", "v1,"),
    ("webhook-signature", headers[names["webhook-signature"]][:20]),
]:
    assert verify(secrets, body, {**headers, names[name]: value}) is None, (name, value)

# During a rotation both secrets sign, so a receiver with the old secret still verifies events.
rotated = admin.post(f"{at}/secret-rotations", {"overlapSeconds": 3600})
both = admin.post(f"{at}/tests", {})
_, body, headers = wait_for("the second test", lambda event: event["id"] == both["id"])
for secret in (endpoint["signingSecret"], rotated["signingSecret"]):
    assert verify([secret], body, headers)["id"] == both["id"]

# Without an overlap the old secret signs nothing more.
last = admin.post(f"{at}/secret-rotations", {"overlapSeconds": 0})
secrets[:] = [last["signingSecret"]]
alone = admin.post(f"{at}/tests", {})
_, body, headers = wait_for("the third test", lambda event: event["id"] == alone["id"])
assert verify([rotated["signingSecret"]], body, headers) is None

# Follows a sale with one line to its end, and one with too many lines for an event.
for count in (1, 400):
    line = {
        "description": "Mofongo con camarón", "quantity": "1", "unitPriceMinorUnits": 100000,
        "measurementUnit": "unit", "itemKind": "good", "taxTreatment": "exempt", "isLegalTipApplicable": False,
    }
    payment = merchant.post("/v1/payments", {
        "saleReference": f"webhooks-{time.time_ns()}",
        "amount": {"currency": "DOP", "minorUnits": 100000 * count},
        "fiscalDocument": {
            "issuanceMode": "deferred", "kind": "consumer", "merchantInvoiceNumber": "W-2", "merchantOrderNumber": "1",
            "lines": [{"sourceLineId": str(number), **line} for number in range(count)],
        },
    })
    canceled = merchant.post(f"/v1/payments/{payment['id']}/cancellations", {"reason": "requested_by_customer"})

    def is_end(event):
        return event["type"] == "payment.canceled" and event["data"]["object"]["id"] == payment["id"]

    event, _, _ = wait_for("the end", is_end)
    assert event["data"]["object"].get("isTruncated", False) == (count > 1)
    assert seen[payment["id"]][1] == canceled["status"]
admin.delete(at)
server.shutdown()
print(f"{len(log)} events had valid signatures")
