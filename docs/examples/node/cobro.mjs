// A small client of Cobro without dependencies, for Node 18 or later. Use it unchanged, or as a pattern.

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

const ATTEMPTS = 5;
// A longer Retry-After in seconds, such as until tomorrow, is reported as an error instead.
const MAX_WAIT = 60;

/** An error response. Branch on `code`; `message` is for people, and its wording may change. */
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
   * Executes a command once, with retries. Store the key with your record of the command, so that a retry after a crash of
   * your program has the same key.
   */
  post(path, body, key = randomUUID()) {
    return this.#send("POST", path, JSON.stringify(body), key);
  }

  /** Deletes the object, with retries. */
  delete(path, key = randomUUID()) {
    return this.#send("DELETE", path, undefined, key);
  }

  /** Yields all items of a list, page by page. */
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
        // The server waits up to 120 seconds for a card provider.
        const response = await fetch(`${this.baseUrl}${path}`, {
          method, headers, body, signal: AbortSignal.timeout(150_000),
        });
        if (response.ok) return await response.json();
        wait = response.headers.get("Retry-After");
        // 409 is final unless it has Retry-After: then the first request is still running.
        const maySucceed = [429, 500, 502, 503].includes(response.status) || (response.status === 409 && wait !== null);
        const refused = new Refused(response.status, (await response.json()).error);
        if (!maySucceed || attempt === ATTEMPTS || Number(wait) > MAX_WAIT) throw refused;
      } catch (failure) {
        // Any other failure leaves the outcome unknown. A retry with the same key is safe.
        if (failure instanceof Refused || attempt === ATTEMPTS) throw failure;
      }
      await pause(1000 * Number(wait ?? 2 ** attempt));
    }
  }
}
