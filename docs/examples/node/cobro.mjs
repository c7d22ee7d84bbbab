// A small client of Cobro, with nothing but what Node brings (18 or later). Take it as it is, or as a pattern.

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

const ATTEMPTS = 5;
// Whoever is told to come back later than that, as tomorrow, is better told so.
const LONGEST_WAIT = 60;

/** An answer that is no success. Branch on `code`; `message` is for people, and its wording may change. */
export class Refused extends Error {
  constructor(status, { code, message, param, docUrl, requestId }) {
    super(`${status} ${code}: ${message} (see ${docUrl})`);
    Object.assign(this, { status, code, param, requestId });
  }
}

export class Cobro {
  constructor(baseUrl, credential) {
    this.baseUrl = baseUrl;
    this.credential = credential;
  }

  get(path, query = {}) {
    const parameters = new URLSearchParams(query).toString();
    return this.#send("GET", parameters ? `${path}?${parameters}` : path);
  }

  /**
   * Carries a command out once, however often it takes to be heard. Keep the key with your own record of the command, so
   * that it is the same after a crash of yours.
   */
  post(path, body, key = randomUUID()) {
    return this.#send("POST", path, JSON.stringify(body), key);
  }

  /** Removes what is there, once. */
  delete(path, key = randomUUID()) {
    return this.#send("DELETE", path, undefined, key);
  }

  /** Every element of a list, part by part. */
  async *pages(path, query = {}) {
    let page = await this.get(path, query);
    yield* page.data;
    while (page.hasMore) {
      page = await this.get(path, { ...query, cursor: page.nextCursor });
      yield* page.data;
    }
  }

  async #send(method, path, body, key) {
    const headers = { Authorization: `Bearer ${this.credential}` };
    if (key !== undefined) headers["Idempotency-Key"] = key;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    for (let attempt = 1; ; attempt += 1) {
      let wait;
      try {
        // A card provider that is silent is waited for up to 120 seconds.
        const answer = await fetch(`${this.baseUrl}${path}`, {
          method, headers, body, signal: AbortSignal.timeout(150_000),
        });
        if (answer.ok) return await answer.json();
        wait = answer.headers.get("Retry-After");
        // 409 is final unless it says when to come back: then the first request is still being carried out.
        const maySucceed = [429, 500, 502, 503].includes(answer.status) || (answer.status === 409 && wait !== null);
        const refused = new Refused(answer.status, (await answer.json()).error);
        if (!maySucceed || attempt === ATTEMPTS || Number(wait) > LONGEST_WAIT) throw refused;
      } catch (failure) {
        // Whatever else failed: nobody knows whether it arrived. The same key makes it safe to ask again.
        if (failure instanceof Refused || attempt === ATTEMPTS) throw failure;
      }
      await pause(1000 * Number(wait ?? 2 ** attempt));
    }
  }
}
