// One chat in one element; several may live on a page.
import { Answer, bubble, el, fill, icon } from "./parts.js";
import { Link } from "./link.js";
import { choices, chosen, wordsFor } from "./words.js";

const NEAR = 96; // px from the end within which the log follows what is new
const FLICKER = 1200; // ms a connection may be gone before we say so
const NOTICE = 6000; // ms a short-lived word stays
const LIMIT = 16_000; // characters, until the server has said its own

/** A random id that works on plain HTTP too, where `crypto.randomUUID` is missing. */
function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {Element} root the element to fill
 * @param {object} options
 *   `base`: the path of the bot's chat; `language`: a BCP 47 tag; `title`: shown until the server says its own;
 *   `header`, `composer`: whether to show them; `onevent`: hears every event as `{kind, ...}`.
 */
export class Chat {
  #root;
  #link;
  #onevent;
  #title;
  #words;
  #tag;
  #limit = LIMIT;
  #lines = new Map(); // `kind/id` to element
  #answers = new Map(); // token of a button to the answer it stands under
  #previews = new Map(); // turn to element
  #typingUntil = 0;
  #stopping = false;
  #connected = null; // not known yet
  #timers = { typing: 0, banner: 0, notice: 0 };
  #at = {};

  constructor(root, { base, language = "en", title = "", header = true, composer = true, onevent = () => {} }) {
    this.#root = root;
    this.#title = title;
    this.#onevent = onevent;
    this.#link = new Link(base, {
      event: (kind, data) => this.#heard(kind, data),
      online: (yes) => this.#online(yes),
      reset: () => this.#reset(),
      sent: (item) => this.#lines.get(`message/${item.id}`)?.classList.remove("lw-unsent"),
      refused: (item, why) => this.#refused(item, why),
    });
    this.#build(header, composer);
    this.setLanguage(language);
    for (const item of this.#link.unsent) if (item.kind === "message") this.#own(item, true);
    this.#show();
    this.#link.start();
  }

  get language() {
    return this.#tag;
  }

  /** Whether an answer is being written. */
  get busy() {
    return this.#previews.size > 0 || Date.now() < this.#typingUntil;
  }

  /** Sends a message; it is kept and tried again until the server has it. */
  send(text) {
    const trimmed = text.trim();
    if (!trimmed || [...trimmed].length > this.#limit) return false;
    const item = { id: newId(), kind: "message", text: trimmed, language: this.#tag, at: Date.now() };
    this.#own(item, true);
    this.#show();
    this.#toEnd();
    this.#link.post(item);
    return true;
  }

  /** Stops what is running. */
  stop() {
    if (this.#stopping) return;
    this.#stopping = this.busy;
    this.#show();
    this.#link.urge({ id: newId(), kind: "stop", language: this.#tag });
  }

  /** Changes the language of the page's words, and of what the bot says from now on. */
  setLanguage(tag) {
    this.#tag = tag;
    this.#words = wordsFor(tag);
    this.#translate();
    this.#onevent({ kind: "language", language: tag });
  }

  focus() {
    this.#at.input?.focus();
  }

  /** Disconnects and empties the element. */
  close() {
    this.#link.close();
    Object.values(this.#timers).forEach(clearTimeout);
    this.#root.replaceChildren();
  }

  #build(header, composer) {
    const at = this.#at;
    at.log = el("div", { class: "lw-log", role: "log", tabindex: "0" });
    at.empty = el("p", { class: "lw-empty" });
    at.typing = el("div", { class: "lw-typing", hidden: "" }, el("i"), el("i"), el("i"), el("span", { class: "lw-sr" }));
    at.log.append(at.empty, at.typing);
    at.newest = el("button", { class: "lw-newest", type: "button", hidden: "" }, icon("down"));
    at.banner = el("p", { class: "lw-banner", role: "status" });
    at.notice = el("p", { class: "lw-notice", role: "status", dir: "auto" });
    at.newest.addEventListener("click", () => this.#toEnd());
    at.log.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    const middle = el("div", { class: "lw-middle" }, at.log, at.newest, at.notice);
    this.#root.classList.add("lw");
    this.#root.replaceChildren(
      ...[header && this.#header(), at.banner, middle, composer && this.#composer()].filter(Boolean),
    );
    this.#root.addEventListener("keydown", (event) => this.#escape(event));
  }

  #header() {
    const at = this.#at;
    at.title = el("bdi", {}, this.#title);
    at.language = el("select", { class: "lw-language" });
    at.language.addEventListener("change", () => this.setLanguage(at.language.value));
    return el("header", { class: "lw-head" }, icon("chat"), el("h1", { class: "lw-title" }, at.title), at.language);
  }

  #composer() {
    const at = this.#at;
    at.input = el("textarea", { class: "lw-input", rows: "1", dir: "auto", enterkeyhint: "send" });
    at.stop = el("button", { class: "lw-stop", type: "button", hidden: "" }, icon("stop"), el("span"));
    at.send = el("button", { class: "lw-send", type: "submit", disabled: "" }, icon("send"));
    at.count = el("p", { class: "lw-count", role: "status" });
    const form = el("form", { class: "lw-form" }, at.input, at.stop, at.send, at.count);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    at.stop.addEventListener("click", () => this.stop());
    at.input.addEventListener("input", () => this.#measure());
    at.input.addEventListener("keydown", (event) => {
      // 229: some browsers report the Enter that ends a composition (Japanese, Chinese) only so
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      this.#submit();
    });
    return form;
  }

  #submit() {
    const { input } = this.#at;
    if (!this.send(input.value)) return;
    input.value = "";
    this.#measure();
    input.focus();
  }

  #escape(event) {
    if (event.key !== "Escape" || event.isComposing || !this.busy) return;
    event.preventDefault();
    this.stop();
  }

  #measure() {
    const { input, send, count } = this.#at;
    if (!input) return;
    const over = [...input.value.trim()].length - this.#limit;
    send.disabled = !input.value.trim() || over > 0;
    input.setAttribute("aria-invalid", String(over > 0));
    count.textContent = over > 0 ? this.#words.tooLong.replace("{n}", over.toLocaleString(this.#tag)) : "";
    input.style.height = "auto";
    input.style.height = `${input.scrollHeight}px`;
  }

  #translate() {
    const { log, title, language, input, stop, send, newest, banner, empty, typing } = this.#at;
    const words = this.#words;
    this.#root.dir = words.direction;
    this.#root.lang = words === wordsFor("en") ? "en" : this.#tag;
    log.setAttribute("aria-label", words.messages);
    newest.setAttribute("aria-label", words.newest);
    empty.textContent = words.empty;
    typing.lastChild.textContent = words.writing;
    if (banner.textContent) banner.textContent = words.reconnecting;
    for (const line of log.querySelectorAll(".lw-me")) this.#label(line);
    if (title) {
      language.setAttribute("aria-label", words.language);
      language.replaceChildren(
        ...choices(this.#tag).map(([tag, name]) => el("option", { value: tag, lang: tag }, name)),
      );
      language.value = chosen(this.#tag);
    }
    if (!input) return;
    input.placeholder = words.placeholder;
    input.setAttribute("aria-label", words.placeholder);
    send.setAttribute("aria-label", words.send);
    send.title = words.send;
    stop.title = "Esc";
    this.#measure();
    this.#show();
  }

  #label(line) {
    line.querySelector(".lw-sr").textContent = `${this.#words.you}: `;
    line.querySelector(".lw-state").textContent = this.#words[line.dataset.refused ? "refused" : "waiting"];
  }

  #heard(kind, data) {
    const follow = this.#follows();
    this.#handle(kind, data);
    this.#show();
    if (follow) this.#toEnd();
    this.#onevent({ kind, ...data });
  }

  #handle(kind, data) {
    switch (kind) {
      case "about":
        return this.#about(data);
      case "message":
        return this.#own(data, false);
      case "answer":
        return this.#answer(data);
      case "pressed":
        return this.#answers.get(data.token)?.press(data.token);
      case "preview":
        return this.#preview(data);
      case "cleared":
        return this.#clear(data.turn);
      case "typing":
        return this.#type(data.seconds);
      case "notice":
        return this.#notice(data.text);
      case "state":
        return this.#caughtUp();
    }
  }

  #about({ title, limit }) {
    this.#title = title;
    this.#limit = limit;
    if (this.#at.title) this.#at.title.textContent = title;
  }

  /** A message of the person's own: on its way, or as the transcript has it. */
  #own({ id, text }, unsent) {
    const known = this.#lines.get(`message/${id}`);
    const line = known ?? bubble("lw-me", el("span", { class: "lw-sr" }), text, el("small", { class: "lw-state" }));
    line.classList.toggle("lw-unsent", unsent);
    if (!known) this.#label(line);
    if (!known || !unsent) this.#place(line);
    this.#lines.set(`message/${id}`, line);
  }

  #answer(data) {
    if (this.#lines.has(`answer/${data.id}`)) return;
    this.#clear(data.replaces);
    const answer = new Answer(data, this.#title, (token) => this.#press(token));
    this.#lines.set(`answer/${data.id}`, answer.element);
    for (const { token } of data.actions ?? []) this.#answers.set(token, answer);
    this.#place(answer.element);
    if (!this.#previews.size) this.#type(0);
  }

  #press(token) {
    this.#answers.get(token).press(token);
    this.#link.post({ id: newId(), kind: "action", token, language: this.#tag, at: Date.now() });
  }

  #preview({ turn, html }) {
    let line = this.#previews.get(turn);
    if (!line) {
      // a screen reader hears the finished answer, not each of its beginnings
      line = bubble("lw-bot lw-growing", el("div", { class: "lw-text", "aria-live": "off" }));
      this.#previews.set(turn, line);
      this.#place(line);
    }
    fill(line.querySelector(".lw-text"), html);
  }

  #clear(turn) {
    this.#previews.get(turn)?.remove();
    this.#previews.delete(turn);
  }

  #type(seconds) {
    this.#typingUntil = Date.now() + seconds * 1000;
    clearTimeout(this.#timers.typing);
    this.#timers.typing = setTimeout(() => this.#show(), seconds * 1000 + 20);
  }

  #notice(text) {
    this.#at.notice.textContent = text;
    clearTimeout(this.#timers.notice);
    this.#timers.notice = setTimeout(() => this.#at.notice.replaceChildren(), NOTICE);
  }

  #caughtUp() {
    for (const { kind, token } of this.#link.unsent) if (kind === "action") this.#answers.get(token)?.press(token);
  }

  #refused({ kind, id, token }, why) {
    if (kind === "action") return this.#answers.get(token)?.release();
    const line = this.#lines.get(`${kind}/${id}`);
    if (!line) return;
    line.dataset.refused = why;
    line.classList.add("lw-unsent");
    this.#label(line);
  }

  /** What stands in the log: lines in their order, then what is unsent, then what is being written. */
  #place(line) {
    const { log, typing } = this.#at;
    const growing = line.classList.contains("lw-growing");
    const after = growing || line.classList.contains("lw-unsent") ? null : log.querySelector(".lw-unsent");
    log.insertBefore(line, after ?? (growing ? typing : log.querySelector(".lw-growing")) ?? typing);
  }

  #show() {
    const { log, empty, typing, stop, input } = this.#at;
    const { busy } = this;
    this.#stopping &&= busy;
    empty.hidden = log.children.length > 2;
    typing.hidden = !busy || this.#previews.size > 0;
    log.setAttribute("aria-busy", String(busy));
    if (!stop) return;
    if (!busy && document.activeElement === stop) input.focus();
    stop.hidden = !busy;
    stop.setAttribute("aria-disabled", String(this.#stopping)); // not disabled: it keeps the focus
    stop.lastChild.textContent = this.#stopping ? this.#words.stopping : this.#words.stop;
  }

  #online(yes) {
    const { banner } = this.#at;
    if (yes === this.#connected) return;
    this.#connected = yes;
    clearTimeout(this.#timers.banner);
    if (yes) banner.replaceChildren();
    else {
      this.#timers.banner = setTimeout(() => (banner.textContent = this.#words.reconnecting), FLICKER);
      for (const turn of [...this.#previews.keys()]) this.#clear(turn);
      this.#type(0);
      this.#show();
    }
    this.#onevent({ kind: "online", online: yes });
  }

  #reset() {
    for (const map of [this.#lines, this.#answers, this.#previews]) map.clear();
    this.#at.log.replaceChildren(this.#at.empty, this.#at.typing);
    this.#show();
  }

  #follows() {
    const { log } = this.#at;
    return log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
  }

  #toEnd() {
    const { log } = this.#at;
    log.scrollTop = log.scrollHeight;
    this.#scrolled();
  }

  #scrolled() {
    this.#at.newest.hidden = this.#follows();
  }
}
