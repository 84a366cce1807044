// Two bots get one message; the buttons make it end in every way.
import { Chat } from "/chat/lastword/chat.js";
import { FAULTS, LANGUAGES, wordsFor } from "./words.js";

const $ = (id) => document.getElementById(id);
const AFTER = 600; // ms the quiet bot gets after the other one has ended
const MIDWAY = 2200; // ms into the story at which the gateway is killed
const LONGEST = 30_000; // ms to wait for one ending
const BREAKS = Object.keys(FAULTS).filter((name) => name !== "story");
const TEXTS = ["lead", "language-label", "ordinary-title", "ordinary-caption", "lastword-caption", "yours-title", "yours-lead"];

const remembered = "lastword:demo:language";
let words = wordsFor("en");
let waiting = null;
let noted = 0;
let counted = null; // what the score says
let running = null; // the button that works
const chips = new Map(); // name to button

const quiet = new Chat($("ordinary"), { base: "/chat/ordinary", header: false, composer: false, onevent: () => {} });
const loud = new Chat($("lastword"), { base: "/chat/lastword", header: false, composer: false, onevent: heard });

function heard(event) {
  if (event.kind !== "answer" || event.replayed) return;
  if (event.note) noted += 1;
  waiting?.();
  waiting = null;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Sends one message to both and waits until the explaining bot has ended it. */
async function both(text) {
  const ended = Promise.race([new Promise((done) => (waiting = done)), pause(LONGEST)]);
  quiet.send(text);
  loud.send(text);
  await ended;
  await pause(AFTER);
}

/** Runs one button's work; until it is done the others do nothing. */
async function run(button, work) {
  if (running) return;
  running = button;
  mark();
  try {
    await work();
  } finally {
    running = null;
    mark();
  }
}

function mark() {
  for (const button of chips.values()) {
    button.setAttribute("aria-disabled", String(running !== null));
    button.classList.toggle("running", button === running);
  }
}

async function kill() {
  const story = both(FAULTS.story);
  await pause(MIDWAY);
  await fetch("/demo/kill", { method: "POST", headers: { "x-lastword": "demo" } }).catch(() => {});
  await story;
}

async function everything() {
  noted = 0;
  let ended = 0;
  for (const name of BREAKS) {
    score("running", ended);
    const before = noted;
    await both(FAULTS[name]);
    if (noted > before) ended += 1;
  }
  score("score", ended);
}

function score(key, ended) {
  counted = { key, ended };
  showScore();
}

function showScore() {
  if (!counted) return;
  const { key, ended } = counted;
  const all = BREAKS.length;
  $("score").textContent = words[key]
    .replace("{all}", all)
    .replace("{ended}", ended)
    .replace("{silent}", all - ended);
}

function chip(name, work, kind = "") {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `chip ${kind}`;
  button.dataset.chip = name;
  button.addEventListener("click", () => run(button, work));
  chips.set(name, button);
  return button;
}

function speak(tag) {
  words = wordsFor(tag);
  document.documentElement.lang = tag;
  document.documentElement.dir = words.direction;
  for (const chat of [quiet, loud]) chat.setLanguage(tag);
  for (const id of TEXTS) $(id).textContent = words[id];
  for (const [name, button] of chips) button.textContent = words.faults[name] ?? words[name];
  $("faults").setAttribute("aria-label", words["faults-label"]);
  $("text").placeholder = words.placeholder;
  $("text").setAttribute("aria-label", words.placeholder);
  $("send").textContent = words.send;
  showScore();
  $("language").value = tag;
  try {
    localStorage.setItem(remembered, tag);
  } catch {
    // kept for this visit only
  }
}

function preferred() {
  let tag = null;
  try {
    tag = localStorage.getItem(remembered);
  } catch {
    // storage may be off
  }
  tag ??= navigator.language.split("-")[0];
  return tag in LANGUAGES ? tag : "en";
}

$("language").replaceChildren(
  ...Object.entries(LANGUAGES).map(([tag, name]) => Object.assign(document.createElement("option"), { value: tag, textContent: name, lang: tag })),
);
$("language").addEventListener("change", () => speak($("language").value));
$("say").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("text").value;
  if (!text.trim()) return;
  $("text").value = "";
  quiet.send(text);
  loud.send(text);
});
$("yours").addEventListener("toggle", () => $("yours").open && $("yours").scrollIntoView({ block: "end" }));
$("faults").append(...BREAKS.map((name) => chip(name, () => both(FAULTS[name]))));
$("deeds").append(chip("kill", kill, "kill"), chip("everything", everything, "all"));
mark();
speak(preferred());
if (matchMedia("(pointer: fine)").matches) $("text").focus(); // on a phone it would call the keyboard up
