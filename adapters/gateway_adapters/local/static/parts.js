// The pieces a chat is made of.

const ICONS = {
  chat: '<path d="M7 4h10a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4h-5l-5 4v-4a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z"/>',
  send: '<path d="M12 19V5M6 11l6-6 6 6"/>',
  stop: '<rect x="7" y="7" width="10" height="10" rx="2"/>',
  down: '<path d="M12 5v14M6 13l6 6 6-6"/>',
};
const TONES = { "⏳": "wait", "🛑": "stopped", "⚠": "fault" };

/** An element with attributes and children. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A drawn sign that says nothing to a screen reader. */
export function icon(name) {
  const holder = el("span", { class: "lw-icon", "aria-hidden": "true" });
  holder.innerHTML = `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${ICONS[name]}</svg>`;
  return holder;
}

/** A line of the log; a text among its children stands in a bubble as it is. */
export function bubble(kind, ...children) {
  const inside = children.map((child) =>
    typeof child === "string" ? el("div", { class: "lw-text lw-plain", dir: "auto" }, child) : child,
  );
  return el("article", { class: `lw-line ${kind}` }, ...inside);
}

/** An answer: what the agent said, the note apart from it, and buttons of which one may be pressed. */
export class Answer {
  #buttons = new Map();

  constructor({ lead, html, text, note, actions = [] }, author, press) {
    this.element = bubble("lw-bot", el("span", { class: "lw-sr" }, `${author}: `));
    if (lead) this.element.append(el("p", { class: "lw-lead", dir: "auto" }, lead));
    if (html) this.element.append(said(html));
    else if (text) this.element.append(el("div", { class: "lw-text lw-plain", dir: "auto" }, text));
    if (note) this.element.append(noted(note));
    if (actions.length) this.element.append(this.#offer(actions, press));
  }

  /** Shows that an action was taken; the others are gone with it. */
  press(token) {
    for (const button of this.#buttons.values()) button.disabled = true;
    this.#buttons.get(token)?.classList.add("lw-taken");
  }

  /** Offers the actions again. */
  release() {
    for (const button of this.#buttons.values()) {
      button.disabled = false;
      button.classList.remove("lw-taken");
    }
  }

  #offer(actions, press) {
    const row = el("div", { class: "lw-actions", role: "group" });
    for (const { kind, token, label } of actions) {
      const button = el("button", { class: "lw-action", type: "button", "data-kind": kind, dir: "auto" }, label);
      button.addEventListener("click", () => press(token));
      this.#buttons.set(token, button);
      row.append(button);
    }
    return row;
  }
}

function said(html) {
  const text = el("div", { class: "lw-text" });
  text.innerHTML = html; // made safe by the server
  for (const table of text.querySelectorAll("table")) {
    const frame = el("div", { class: "lw-wide", tabindex: "0" });
    table.replaceWith(frame);
    frame.append(table);
  }
  return text;
}

function noted({ text, language, direction, reference, reason }) {
  const [sign, rest] = parted(text);
  const note = el("aside", {
    class: "lw-note",
    role: "note",
    lang: language,
    dir: direction,
    "data-reason": reason,
    "data-tone": TONES[sign.replace("\ufe0f", "")] ?? "plain",
  });
  if (sign) note.append(el("span", { class: "lw-sign", "aria-hidden": "true" }, sign));
  note.append(el("p", {}, rest));
  if (reference) note.append(el("p", { class: "lw-reference" }, reference));
  return note;
}

/** The sign a note begins with, and the rest of it. */
function parted(text) {
  const found = text.match(/^(⏳|🛑|⚠)\ufe0f?/u);
  return found ? [found[0], text.slice(found[0].length).trimStart()] : ["", text];
}
