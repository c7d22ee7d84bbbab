// Sells, pages, corrects and reads errors. It runs against a sandbox:
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

/** Plays the payer, whom a merchant's server only ever sends to payment.nextAction.url. */
async function pay({ id, checkoutReference }) {
  const { token } = await merchant.post("/v1/checkout_tokens", { checkoutReference, purpose: "pay" });
  const card = { number: "4222220000000008", expirationMonth: 12, expirationYear: 2035, securityCode: "123" };
  return new Cobro(url, token).post(`/v1/payments/${id}/card-submissions`, { card });
}

/** The document of a payment, once it has that status. A server would hear of it by a webhook. */
async function documentOnce(payment, status) {
  let document;
  for (let look = 0; look < 120; look += 1) {
    document = await merchant.get(`/v1/fiscal_documents/${payment.fiscalDocument.id}`);
    if (document.status === status) return document;
    await pause(250);
  }
  throw new Error(`the document is still ${document.status}`);
}

// Create. The same key again brings the same payment again, and no second one.
const key = `table-${run}`;
const payment = await merchant.post("/v1/payments", sale("F-0001"), key);
const again = await merchant.post("/v1/payments", sale("F-0001"), key);
assert.equal(again.id, payment.id);
console.log("created", payment.id);

// Pay, and retrieve. A decline would be a status, too, and no error.
const paid = await pay(payment);
assert.equal(paid.status, "succeeded");
const issued = await documentOnce(payment, "issued");
console.log("issued", issued.fiscalNumber);

// Page: three payments in parts of two.
const others = [];
for (const invoice of ["F-0002", "F-0003"]) others.push((await merchant.post("/v1/payments", sale(invoice))).id);
const listed = [];
for await (const { id } of merchant.pages("/v1/payments", { saleReference: `table-${run}`, limit: 2 })) listed.push(id);
assert.deepEqual(listed.sort(), [payment.id, ...others].sort());
console.log("listed", listed.length);

// Correct. The sandbox's authority rejects the first revision of an invoice that begins with RJ-.
const rejected = await merchant.post("/v1/payments", sale(`RJ-${run}`));
await pay(rejected);
const { problem } = await documentOnce(rejected, "rejected");
console.log("rejected", problem.code, problem.isCorrectable ? "correctable" : "final");
const { kind, merchantInvoiceNumber, merchantOrderNumber, lines } = sale(`RJ-${run}`).fiscalDocument;
const correction = { kind, merchantInvoiceNumber, merchantOrderNumber, lines };
await merchant.post(`/v1/fiscal_documents/${rejected.fiscalDocument.id}/corrections`, correction);
const corrected = await documentOnce(rejected, "issued");
console.log("corrected to revision", corrected.revision);

// Errors, by code.
async function refusal(attempt) {
  try {
    await attempt();
  } catch (failure) {
    if (failure instanceof Refused) return failure.code;
    throw failure;
  }
  throw new Error("it was not refused");
}
assert.equal(await refusal(() => merchant.post("/v1/payments", sale("F-0009", 127999))), "fiscal_total_mismatch");
assert.equal(await refusal(() => merchant.post("/v1/payments", sale("F-0002"), key)), "idempotency_key_reused");
console.log("refused as expected");
