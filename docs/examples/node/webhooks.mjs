// Receives events. Runs against a sandbox that was started with --allow-private-webhooks:
//
//     npm install standardwebhooks
//     COBRO_URL=http://127.0.0.1:8080 COBRO_KEY=gk_test_... COBRO_ADMIN_KEY=gk_test_... node webhooks.mjs

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

import { Webhook } from "standardwebhooks";

import { Cobro } from "./cobro.mjs";

/**
 * Server that receives events. `secrets` are the valid signing secrets: two during a rotation. An event without a valid
 * signature is refused. Respond within 15 seconds, and do longer work afterwards. A failed event is sent again.
 */
function receiver(secrets, handle) {
  return createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    // The signature covers these exact bytes: verify them before you parse them.
    const body = Buffer.concat(chunks).toString();
    const event = verify(secrets, body, request.headers);
    response.writeHead(event === undefined ? 401 : await respondTo(handle, event, body, request.headers)).end();
  });
}

/** Processes an event and returns the HTTP status of the response. */
async function respondTo(handle, event, body, headers) {
  try {
    await handle(event, body, headers);
    return 204;
  } catch (failure) {
    console.error(`${event.id} was not processed:`, failure);
    return 500;
  }
}

function verify(secrets, body, headers) {
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(body, headers);
    } catch {
      // Another secret may have signed the event.
    }
  }
  return undefined;
}

/** The newest state of each payment. An event may arrive twice, or after a later one: compare `sequence`. */
const seen = new Map();
const log = [];

async function handle(event, body, headers) {
  // Events without a payment have no sequence.
  if (event.sequence !== null && event.data.object.object === "payment") {
    const { id, status } = await fullObject(event.data.object);
    if ((seen.get(id)?.sequence ?? 0) < event.sequence) seen.set(id, { status, sequence: event.sequence });
  }
  log.push({ event, body, headers });
}

/** Returns the object of an event. Retrieves an object that is too long for an event of 64 KiB. */
async function fullObject(object) {
  if (!object.isTruncated) return object;
  const paths = { payment: "/v1/payments", fiscal_document: "/v1/fiscal_documents" };
  return merchant.get(`${paths[object.object]}/${object.id}`);
}

async function waitFor(name, isMatch) {
  for (let check = 0; check < 200; check += 1) {
    const entry = log.find(isMatch);
    if (entry) return entry;
    await pause(50);
  }
  throw new Error(`${name} did not arrive`);
}

const merchant = new Cobro(process.env.COBRO_URL, process.env.COBRO_KEY);
const admin = new Cobro(process.env.COBRO_URL, process.env.COBRO_ADMIN_KEY);
const secrets = [];
const server = receiver(secrets, handle).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const url = `http://127.0.0.1:${server.address().port}/cobro`;

const endpoint = await admin.post("/v1/webhook_endpoints", { url, enabledEvents: ["payment.*", "fiscal_document.issued"] });
secrets.push(endpoint.signingSecret);

// Send a test event.
const test = await admin.post(`/v1/webhook_endpoints/${endpoint.id}/tests`, {});
const { body, headers } = await waitFor("the test", ({ event }) => event.id === test.id);
assert.equal(headers["webhook-id"], test.id);

// An altered event is refused.
const signed = headers["webhook-signature"];
assert.equal(verify(secrets, body.replace("test", "fake"), headers), undefined);
assert.equal(verify(secrets, body, { ...headers, "webhook-id": "event_1" }), undefined);
assert.equal(verify(secrets, body, { ...headers, "webhook-timestamp": `${Number(headers["webhook-timestamp"]) + 1}` }), undefined);
assert.equal(verify(secrets, body, { ...headers, "webhook-signature": "v1," }), undefined);
assert.equal(verify(secrets, body, { ...headers, "webhook-signature": signed.slice(0, 20) }), undefined);
assert.equal(verify(["whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], body, headers), undefined);

// During a rotation both secrets sign, so a receiver with the old secret still verifies events.
const rotated = await admin.post(`/v1/webhook_endpoints/${endpoint.id}/secret-rotations`, { overlapSeconds: 3600 });
const both = await admin.post(`/v1/webhook_endpoints/${endpoint.id}/tests`, {});
const after = await waitFor("the second test", ({ event }) => event.id === both.id);
for (const secret of [endpoint.signingSecret, rotated.signingSecret]) {
  assert.equal(verify([secret], after.body, after.headers).id, both.id);
}
secrets.unshift(rotated.signingSecret);

// Follows a sale with one line to its end, and one with too many lines for an event.
const line = {
  description: "Mofongo con camarón", quantity: "1", unitPriceMinorUnits: 100000,
  measurementUnit: "unit", itemKind: "good", taxTreatment: "exempt", isLegalTipApplicable: false,
};
for (const count of [1, 400]) {
  const payment = await merchant.post("/v1/payments", {
    saleReference: `webhooks-${Date.now()}`,
    amount: { currency: "DOP", minorUnits: 100000 * count },
    fiscalDocument: {
      issuanceMode: "deferred", kind: "consumer", merchantInvoiceNumber: "W-1", merchantOrderNumber: "1",
      lines: Array.from({ length: count }, (_, number) => ({ sourceLineId: `${number}`, ...line })),
    },
  });
  const canceled = await merchant.post(`/v1/payments/${payment.id}/cancellations`, { reason: "requested_by_customer" });
  const isEnd = ({ event }) => event.type === "payment.canceled" && event.data.object.id === payment.id;
  const { event } = await waitFor("the end of the sale", isEnd);
  assert.equal(event.data.object.isTruncated ?? false, count > 1);
  assert.equal(seen.get(payment.id).status, canceled.status);
}

await admin.post(`/v1/webhook_endpoints/${endpoint.id}/replays`, { eventId: test.id });
for (let check = 0; log.filter(({ event }) => event.id === test.id).length < 2; check += 1) {
  assert.ok(check < 200, "a replay sends the event again, with the same id");
  await pause(50);
}
await admin.delete(`/v1/webhook_endpoints/${endpoint.id}`);
server.close();
server.closeAllConnections();
console.log(`${log.length} events had valid signatures`);
