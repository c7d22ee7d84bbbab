"""Hears of events. It runs against a sandbox that was started with --allow-private-webhooks:

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

# Those that may sign: two while one replaces the other.
secrets = []
# The state of each payment, and the place in its sequence that it is of.
seen = {}
log = []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # What is signed are these very bytes: parse them, but verify them first.
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = dict(self.headers.items())
        event = verified(secrets, body, headers)
        # Respond within 15 seconds, and do longer work afterwards. A failed event is sent again.
        self.send_response(401 if event is None else taken(event, body, headers))
        self.end_headers()

    def log_message(self, *_):
        pass


def verified(secrets, body, headers):
    for secret in secrets:
        try:
            return Webhook(secret).verify(body, headers)
        except Exception:  # Another may have signed it; and what is no signature at all is none.
            continue
    return None


def taken(event, body, headers):
    """Processes an event and returns the HTTP status of the response."""
    try:
        take(event)
    except Exception as failure:
        print(f"{event['id']} was not processed: {failure!r}", file=sys.stderr)
        return 500
    log.append((event, body, headers))
    return 204


def take(event):
    """An event may arrive twice, or after a later one: compare `sequence`."""
    # An event of no payment has no place in one.
    if event["sequence"] is None or event["data"]["object"]["object"] != "payment":
        return
    payment = whole(event["data"]["object"])
    if seen.get(payment["id"], (0, None))[0] < event["sequence"]:
        seen[payment["id"]] = (event["sequence"], payment["status"])


def whole(subject):
    """Returns the object of an event. Retrieves an object that is too long for an event of 64 KiB."""
    if not subject.get("isTruncated"):
        return subject
    paths = {"payment": "/v1/payments/", "fiscal_document": "/v1/fiscal_documents/"}
    return merchant.get(paths[subject["object"]] + subject["id"])


def until(what, found):
    for _ in range(200):
        for it in list(log):
            if found(it[0]):
                return it
        time.sleep(0.05)
    raise RuntimeError(f"{what} did not come")


merchant = Cobro(os.environ["COBRO_URL"], os.environ["COBRO_KEY"])
admin = Cobro(os.environ["COBRO_URL"], os.environ["COBRO_ADMIN_KEY"])
server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
wish = {"url": f"http://127.0.0.1:{server.server_port}/cobro", "enabledEvents": ["payment.*"]}
endpoint = admin.post("/v1/webhook_endpoints", wish)
secrets.append(endpoint["signingSecret"])
at = f"/v1/webhook_endpoints/{endpoint['id']}"

# A test says that it works.
test = admin.post(f"{at}/tests", {})
_, body, headers = until("the test", lambda event: event["id"] == test["id"])
names = {name.lower(): name for name in headers}
assert headers[names["webhook-id"]] == test["id"]

# Whatever is changed on the way is refused.
moved = str(int(headers[names["webhook-timestamp"]]) + 1)
late = str(int(headers[names["webhook-timestamp"]]) - 6 * 60)
assert verified(secrets, body.replace(b"test", b"fake"), headers) is None
for name, value in [
    ("webhook-id", "event_1"),
    ("webhook-timestamp", moved),
    ("webhook-timestamp", late),
    ("webhook-signature", "v1,"),
    ("webhook-signature", headers[names["webhook-signature"]][:20]),
]:
    assert verified(secrets, body, {**headers, names[name]: value}) is None, (name, value)

# While one secret replaces another, both sign: whoever still has the old one misses nothing.
rotated = admin.post(f"{at}/secret-rotations", {"overlapSeconds": 3600})
both = admin.post(f"{at}/tests", {})
_, body, headers = until("the second test", lambda event: event["id"] == both["id"])
for secret in (endpoint["signingSecret"], rotated["signingSecret"]):
    assert verified([secret], body, headers)["id"] == both["id"]

# A secret that is replaced at once signs nothing more.
last = admin.post(f"{at}/secret-rotations", {"overlapSeconds": 0})
secrets[:] = [last["signingSecret"]]
alone = admin.post(f"{at}/tests", {})
_, body, headers = until("the third test", lambda event: event["id"] == alone["id"])
assert verified([rotated["signingSecret"]], body, headers) is None

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

    event, _, _ = until("the end", is_end)
    assert event["data"]["object"].get("isTruncated", False) == (count > 1)
    assert seen[payment["id"]][1] == canceled["status"]
admin.delete(at)
server.shutdown()
print(f"{len(log)} events were signed as they should be")
