// The pieces a chat is made of.

const ICONS = {
  chat: '<path d="M7 4h10a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4h-5l-5 4v-4a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z"/>',
  send: '<path d="M12 19V5M6 11l6-6 6 6"/>',
  stop: '<rect x="7" y="7" width="10" height="10" rx="2"/>',
  down: '<path d="M12 5v14M6 13l6 6 6-6"/>',
  wait: '<path d="M7 3h10M7 21h10M8 3v3.5c0 2 4 4 4 5.5s-4 3.5-4 5.5V21M16 3v3.5c0 2-4 4-4 5.5s4 3.5 4 5.5V21"/>',
  stopped: '<path d="M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3zM8.5 12h7"/>',
  fault: '<path d="M12 4 2.8 20h18.4zM12 10v4.5M12 17.2v.1"/>',
};
const TONES = { "⏳": "wait", "🛑": "stopped", "⚠": "fault" }; // drawn, since not every machine has the signs

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
    if (html) this.element.append(fill(el("div", { class: "lw-text" }), html));
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

/** Puts an agent's text into an element; what is wide scrolls by itself. */
export function fill(text, html) {
  text.innerHTML = html; // made safe by the server
  for (const table of text.querySelectorAll("table")) {
    const frame = el("div", { class: "lw-wide", tabindex: "0", dir: "auto" });
    table.removeAttribute("dir"); // the frame takes it over, so that it scrolls from the table's own start
    table.replaceWith(frame);
    frame.append(table);
  }
  return text;
}

function noted({ text, language, direction, reference, reason }) {
  const [tone, rest] = parted(text);
  const note = el("aside", {
    class: "lw-note",
    role: "note",
    lang: language,
    dir: direction,
    "data-reason": reason,
    "data-tone": tone,
  });
  if (tone !== "plain") note.append(icon(tone));
  note.append(el("p", {}, rest));
  if (reference) note.append(el("p", { class: "lw-reference" }, reference));
  return note;
}

/** What the sign a note begins with means, and the rest of it. */
function parted(text) {
  const found = text.match(/^(⏳|🛑|⚠)\ufe0f?/u);
  return found ? [TONES[found[1]], text.slice(found[0].length).trimStart()] : ["plain", text];
}
