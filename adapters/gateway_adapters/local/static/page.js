// The standalone page: one chat in the person's language, which a small switch changes.
import { Chat } from "./chat.js";

const root = document.getElementById("chat");
const remembered = "lastword:language";

function recall() {
  try {
    return localStorage.getItem(remembered);
  } catch {
    return null; // storage may be off; the browser's own language does
  }
}

function remember(language) {
  document.documentElement.lang = language;
  try {
    localStorage.setItem(remembered, language);
  } catch {
    // kept for this visit only
  }
}

const chat = new Chat(root, {
  base: root.dataset.base,
  title: root.dataset.title,
  language: recall() ?? navigator.language,
  onevent: (event) => event.kind === "language" && remember(event.language),
});
document.documentElement.lang = chat.language;
if (matchMedia("(pointer: fine)").matches) chat.focus(); // on a phone that would open the keyboard
