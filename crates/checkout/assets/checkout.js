// What is smoother with a script. Nothing depends on it, and nothing is decided here.
"use strict";

(() => {
  let stale = false;
  let isLeaving = false;
  addEventListener("submit", (event) => (isLeaving = !event.defaultPrevented));
  addEventListener("click", (event) => (isLeaving ||= event.target.closest("a[href]") !== null));
  const form = document.getElementById("card");
  if (form) tend(form);
  const page = document.querySelector("[data-poll]");
  if (page) poll(page.dataset.poll, page.dataset.version, 1000);
  const copy = document.getElementById("copy");
  if (copy) offer(copy, document.getElementById("link"));

  // A page that comes back from the browser's memory has a card in it, and shows how things stood before.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    if (form) form.reset();
    location.reload();
  });

  function tend(form) {
    const { number, expiry, code } = form.elements;
    const checks = new Map([
      [number, (it) => isNumber(digits(it.value))],
      [expiry, (it) => isExpiry(it.value)],
      [code, (it) => /^\d{3,4}$/.test(it.value.trim())],
    ]);
    form.noValidate = true;

    typed(number, (text) => grouped(text.slice(0, 19)));
    number.addEventListener("input", () => recognise(digits(number.value)));
    typed(expiry, (text) => {
      const all = text.length === 1 && text > "1" ? "0" + text : text;
      return all.length > 2 ? all.slice(0, 2) + "/" + all.slice(2, 6) : all;
    });
    typed(code, (text) => text.slice(0, 4));
    for (const [field, isRight] of checks) {
      field.addEventListener("blur", () => field.value && tell(field, isRight(field)));
      field.addEventListener("input", () => field.getAttribute("aria-invalid") && isRight(field) && tell(field, true));
    }

    form.addEventListener("submit", (event) => {
      const button = form.querySelector("button");
      if (button.getAttribute("aria-disabled")) return event.preventDefault();
      const wrong = [...checks].filter(([field, isRight]) => !tell(field, isRight(field)));
      if (wrong.length > 0) {
        event.preventDefault();
        // What was said of the card before is not about this one.
        for (const old of document.querySelectorAll(".declined")) old.remove();
        return wrong[0][0].focus();
      }
      button.setAttribute("aria-disabled", "true");
      button.textContent = form.dataset.paying;
    });
    const first = form.querySelector("[aria-invalid]");
    if (first) first.focus();
  }

  // Formats what is typed, and keeps the cursor behind the digit that it was behind.
  function typed(field, format) {
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

  function tell(field, isRight) {
    const fault = document.getElementById(field.id + "-fault");
    fault.textContent = isRight ? "" : field.dataset.wrong;
    if (isRight) field.removeAttribute("aria-invalid");
    else field.setAttribute("aria-invalid", "true");
    return isRight;
  }

  function recognise(text) {
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

  function isExpiry(text) {
    const parts = text.replace(/\s/g, "").match(/^(\d{1,2})[/-]?(\d{2}|\d{4})$/);
    return parts !== null && Number(parts[1]) >= 1 && Number(parts[1]) <= 12;
  }

  function offer(button, link) {
    link.addEventListener("focus", () => link.select());
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(link.value);
      button.textContent = button.dataset.done;
    });
  }

  // Asks whether anything has changed, ever less often and not for ever, and shows it.
  async function poll(address, version, pause, left = 1500) {
    if (left === 0) return;
    await new Promise((done) => setTimeout(done, pause));
    try {
      const answer = document.hidden ? undefined : await fetch(address, { cache: "no-store", credentials: "same-origin" });
      const isOver = answer && (answer.status === 404 || answer.status === 410);
      const [now, progress, ...shares] = answer && answer.ok ? (await answer.text()).split("\n") : [version];
      // Whoever is on the way elsewhere is not called back: what they have just sent would be given up. Not every way leads
      // away, so that the next turn asks again.
      if (isLeaving) isLeaving = false;
      else if (isOver || now !== version) {
        if (isOver || !isBusy()) return location.reload();
        show(progress, shares);
        version = now;
        stale = true;
      } else if (stale && !isBusy()) return location.reload();
    } catch {
      // Without a network nothing can be shown: the next turn asks again.
    }
    return poll(address, version, Math.min(pause * 1.3, 5000), left - 1);
  }

  // Whoever types is not disturbed: only what others have done is shown.
  function isBusy() {
    const fields = [...document.querySelectorAll("input:not([type=hidden])")];
    return fields.some((it) => it === document.activeElement || it.value !== it.defaultValue);
  }

  function show(progress, shares) {
    const line = document.getElementById("progress");
    if (line && progress) line.textContent = progress;
    const rows = document.querySelectorAll(".shares tr:not(.acts)");
    shares.forEach((status, at) => rows[at] && (rows[at].cells[2].textContent = status));
  }
})();
