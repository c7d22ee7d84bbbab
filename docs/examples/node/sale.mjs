// Creates, pays, lists and corrects sales, and reads errors. Runs against a sandbox:
//
//     COBRO_URL=http://127.0.0.1:8080 COBRO_KEY=gk_test_... node docs/examples/node/sale.mjs

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { Cobro, Refused } from "./cobro.mjs";

const url = process.env.COBRO_URL;
const merchant = new Cobro(url, process.env.COBRO_KEY);
const run = randomUUID().slice(0, 8);

/** One dish at 1,000.00, with ITBIS of 18 % and the legal tip of 10 %. */
function sale(invoice, minorUnits = 128000) {
  const line = {
    sourceLineId: "1",
    description: "Mofongo con camarón",
    quantity: "1",
    measurementUnit: "unit",
    unitPriceMinorUnits: 100000,
    itemKind: "good",
    taxTreatment: "itbis_18",
    isLegalTipApplicable: true,
  };
  return {
    saleReference: `table-${run}`,
    amount: { currency: "DOP", minorUnits },
    fiscalDocument: {
      issuanceMode: "deferred",
      kind: "consumer",
      merchantInvoiceNumber: invoice,
      merchantOrderNumber: "1",
      lines: [line],
    },
  };
}

/** Pays as the payer would. A merchant's server only sends payers to payment.nextAction.url. */
async function pay({ id, checkoutReference }) {
  const { token } = await merchant.post("/v1/checkout_tokens", { checkoutReference, purpose: "pay" });
  const card = { number: "4222220000000008", expirationMonth: 12, expirationYear: 2035, securityCode: "123" };
  return new Cobro(url, token).post(`/v1/payments/${id}/card-submissions`, { card });
}

/** Waits until the document of a payment has the status. A server would receive a webhook. */
async function waitForDocument(payment, status) {
  let document;
  for (let check = 0; check < 120; check += 1) {
    document = await merchant.get(`/v1/fiscal_documents/${payment.fiscalDocument.id}`);
    if (document.status === status) return document;
    await pause(250);
  }
  throw new Error(`the document is still ${document.status}`);
}

// Create. A retry with the same key returns the same payment.
const key = `table-${run}`;
const payment = await merchant.post("/v1/payments", sale("F-0001"), key);
const again = await merchant.post("/v1/payments", sale("F-0001"), key);
assert.equal(again.id, payment.id);
console.log("created", payment.id);

// Pay, and retrieve. A decline would be a status, not an error.
const paid = await pay(payment);
assert.equal(paid.status, "succeeded");
const issued = await waitForDocument(payment, "issued");
console.log("issued", issued.fiscalNumber);

// List three payments in pages of two.
const others = [];
for (const invoice of ["F-0002", "F-0003"]) others.push((await merchant.post("/v1/payments", sale(invoice))).id);
const listed = [];
for await (const { id } of merchant.pages("/v1/payments", { saleReference: `table-${run}`, limit: 2 })) listed.push(id);
assert.deepEqual(listed.sort(), [payment.id, ...others].sort());
console.log("listed", listed.length);

// Correct. The sandbox's authority rejects the first revision of an invoice that begins with RJ-.
const rejected = await merchant.post("/v1/payments", sale(`RJ-${run}`));
await pay(rejected);
const { problem } = await waitForDocument(rejected, "rejected");
console.log("rejected", problem.code, problem.isCorrectable ? "correctable" : "final");
const { kind, merchantInvoiceNumber, merchantOrderNumber, lines } = sale(`RJ-${run}`).fiscalDocument;
const correction = { kind, merchantInvoiceNumber, merchantOrderNumber, lines };
await merchant.post(`/v1/fiscal_documents/${rejected.fiscalDocument.id}/corrections`, correction);
const corrected = await waitForDocument(rejected, "issued");
console.log("corrected to revision", corrected.revision);

// Errors, by code.
async function refusal(attempt) {
  try {
    await attempt();
  } catch (failure) {
    if (failure instanceof Refused) return failure.code;
    throw failure;
  }
  throw new Error("the request was not refused");
}
assert.equal(await refusal(() => merchant.post("/v1/payments", sale("F-0009", 127999))), "fiscal_total_mismatch");
assert.equal(await refusal(() => merchant.post("/v1/payments", sale("F-0002"), key)), "idempotency_key_reused");
console.log("refused as expected");
