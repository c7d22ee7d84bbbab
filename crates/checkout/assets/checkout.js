// Optional enhancements: every page works without this script, and the server decides.
"use strict";

(() => {
  let stale = false;
  let isLeaving = false;
  addEventListener("submit", (event) => (isLeaving = !event.defaultPrevented));
  addEventListener("click", (event) => (isLeaving ||= event.target.closest("a[href]") !== null));
  const form = document.getElementById("card");
  if (form) validateCard(form);
  const page = document.querySelector("[data-poll]");
  if (page) poll(page.dataset.poll, page.dataset.version, 1000);
  const copy = document.getElementById("copy");
  if (copy) offerCopy(copy, document.getElementById("link"));
  const share = document.getElementById("share");
  if (share && navigator.share) useShareSheet(share, document.getElementById("whatsapp"));
  // Removes the marker of a new cookie from the address.
  const here = new URL(location.href);
  if (here.searchParams.has("opened")) {
    here.searchParams.delete("opened");
    history.replaceState(history.state, "", here);
  }

  // A page restored from the browser's cache contains a card and an old state.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    if (form) form.reset();
    location.reload();
  });

  function validateCard(form) {
    const { number, expiry, code } = form.elements;
    const checks = new Map([
      [number, (it) => isNumber(digits(it.value))],
      [expiry, (it) => dateOf(it.value) !== null],
      [code, (it) => /^\d{3,4}$/.test(it.value.trim())],
    ]);
    form.noValidate = true;

    formatInput(number, (text) => grouped(text.slice(0, 19)));
    number.addEventListener("input", () => showBrand(digits(number.value)));
    // Keeps autofilled and partly typed values.
    expiry.addEventListener("change", () => {
      const date = /^\d+$/.test(expiry.value) && dateOf(expiry.value);
      if (date) expiry.value = `${String(date[0]).padStart(2, "0")}/${String(date[1] % 100).padStart(2, "0")}`;
    });
    formatInput(code, (text) => text.slice(0, 4));
    for (const [field, isRight] of checks) {
      field.addEventListener("blur", () => field.value && setValidity(field, isRight(field)));
      field.addEventListener("input", () => field.getAttribute("aria-invalid") && isRight(field) && setValidity(field, true));
    }

    form.addEventListener("submit", (event) => {
      const button = form.querySelector("button");
      if (button.getAttribute("aria-disabled")) return event.preventDefault();
      const wrong = [...checks].filter(([field, isRight]) => !setValidity(field, isRight(field)));
      if (wrong.length > 0) {
        event.preventDefault();
        // The previous message concerned another card.
        for (const old of document.querySelectorAll(".declined")) old.remove();
        return wrong[0][0].focus();
      }
      button.setAttribute("aria-disabled", "true");
      button.textContent = form.dataset.paying;
    });
    const first = form.querySelector("[aria-invalid]");
    if (first) first.focus();
  }

  // Formats typed digits, and keeps the cursor after the same digit.
  function formatInput(field, format) {
    field.addEventListener("input", (event) => {
      const isDeleted = event.inputType && event.inputType.startsWith("delete");
      const before = digits(field.value.slice(0, field.selectionStart)).length;
      const text = format(digits(field.value));
      if (isDeleted && field.selectionStart === field.value.length) return;
      if (text === field.value) return;
      const atEnd = field.selectionStart === field.value.length;
      field.value = text;
      let at = 0;
      for (let seen = 0; at < text.length && seen < before; at += 1) if (/\d/.test(text[at])) seen += 1;
      field.setSelectionRange(atEnd ? text.length : at, atEnd ? text.length : at);
    });
  }

  function setValidity(field, isRight) {
    const fault = document.getElementById(field.id + "-fault");
    fault.textContent = isRight ? "" : field.dataset.wrong;
    if (isRight) field.removeAttribute("aria-invalid");
    else field.setAttribute("aria-invalid", "true");
    return isRight;
  }

  function showBrand(text) {
    const brand = document.getElementById("brand");
    let name = "";
    for (const item of document.querySelectorAll("[data-ranges]")) {
      const isIt = item.dataset.ranges.split(" ").some((range) => {
        const [length, from, to] = range.split("-").map(Number);
        const start = Number(text.slice(0, length));
        return text.length >= length && start >= from && start <= to;
      });
      item.classList.toggle("is-it", isIt);
      if (isIt) name = item.textContent;
    }
    if (brand.textContent !== name) brand.textContent = name;
  }

  function digits(text) {
    return text.replace(/\D/g, "");
  }

  function grouped(text) {
    return /^3[47]/.test(text)
      ? [text.slice(0, 4), text.slice(4, 10), text.slice(10)].filter(Boolean).join(" ")
      : text.replace(/(\d{4})(?=\d)/g, "$1 ");
  }

  function isNumber(text) {
    let sum = 0;
    for (let place = 0; place < text.length; place += 1) {
      const digit = Number(text[text.length - 1 - place]) * (place % 2 ? 2 : 1);
      sum += digit > 9 ? digit - 9 : digit;
    }
    return text.length >= 12 && text.length <= 19 && sum % 10 === 0;
  }

  // Month and year in every unambiguous format; the rules are those of the server, in expiry.rs.
  function dateOf(text) {
    if (!/^[\d\s/\\.,:;|_'’‐‑–—−-]*$/.test(text)) return null;
    const groups = (between) => text.split(between).map(digits).filter(Boolean);
    const marked = groups(/[^\d\s]/);
    const spaced = groups(/\s/);
    if (marked.length === 2) return pair(...marked);
    if (marked.length !== 1) return null;
    return spaced.length === 2 ? pair(...spaced) : run(marked[0]);
  }

  function pair(first, second) {
    const lengths = `${first.length} ${second.length}`;
    if (/^(1 2|[12] 4)$/.test(lengths)) return dated(first, second);
    if (/^4 [12]$/.test(lengths)) return dated(second, first);
    return lengths === "2 2" ? dated(first, second) ?? dated(second, first) : null;
  }

  function run(text) {
    const halves = (middle) => pair(text.slice(0, middle), text.slice(middle));
    const monthFirst = (middle) => (text.startsWith("20", middle) ? halves(middle) : null);
    const yearFirst = () => (text.startsWith("20") ? halves(4) : null);
    if (text.length === 3) return isMonth(text.slice(0, 2)) ? null : halves(1);
    if (text.length === 4) return halves(2);
    return text.length === 5 || text.length === 6 ? monthFirst(text.length - 4) ?? yearFirst() : null;
  }

  function dated(month, year) {
    return isMonth(month) ? [Number(month), year.length === 2 ? 2000 + Number(year) : Number(year)] : null;
  }

  function isMonth(text) {
    return Number(text) >= 1 && Number(text) <= 12;
  }

  function offerCopy(button, link) {
    link.addEventListener("focus", () => link.select());
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(link.value);
      button.textContent = button.dataset.done;
    });
  }

  // The device's share sheet replaces the link that works without one.
  function useShareSheet(button, link) {
    button.hidden = false;
    link.hidden = true;
    button.addEventListener("click", async () => {
      try {
        await navigator.share({ text: button.dataset.text, url: document.getElementById("link").value });
      } catch (error) {
        // If the share sheet does not open, the link stays. Closing the sheet ends the sharing.
        if (error.name !== "AbortError") link.hidden = false;
      }
    });
  }

  // Polls for changes with growing intervals up to a limit, and shows them.
  async function poll(address, version, pause, left = 1500) {
    if (left === 0) return;
    await new Promise((done) => setTimeout(done, pause));
    try {
      const answer = document.hidden ? undefined : await fetch(address, { cache: "no-store", credentials: "same-origin" });
      const isOver = answer && (answer.status === 404 || answer.status === 410);
      const [now, progress, ...shares] = answer && answer.ok ? (await answer.text()).split("\n") : [version];
      // A navigation in progress is not interrupted, because a submitted form would be lost. Not every navigation leaves
      // the page, so that the next turn polls again.
      if (isLeaving) isLeaving = false;
      else if (isOver || now !== version) {
        if (isOver || !isBusy()) return location.reload();
        show(progress, shares);
        version = now;
        stale = true;
      } else if (stale && !isBusy()) return location.reload();
    } catch {
      // Without a network the next turn polls again.
    }
    return poll(address, version, Math.min(pause * 1.3, 5000), left - 1);
  }

  // Does not disturb typing: only other payers' changes are shown.
  function isBusy() {
    const fields = [...document.querySelectorAll("input:not([type=hidden])")];
    return fields.some((it) => it === document.activeElement || it.value !== it.defaultValue);
  }

  function show(progress, shares) {
    const line = document.getElementById("progress");
    if (line && progress) line.replaceChildren(...progress.split(/((?:RD|US)\$\s-?[\d,]+\.\d\d)/).map(marked));
    const rows = document.querySelectorAll(".shares tr:not(.acts)");
    shares.forEach((status, at) => rows[at] && (rows[at].cells[2].textContent = status));
  }

  // Every second piece of a text is an amount, which translation must not change.
  function marked(piece, at) {
    if (at % 2 === 0) return piece;
    const amount = document.createElement("bdi");
    amount.translate = false;
    amount.textContent = piece;
    return amount;
  }
})();
