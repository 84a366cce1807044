// Two bots get one message; the buttons make it end in every way.
import { Chat } from "/chat/lastword/chat.js";
import { FAULTS, LANGUAGES, wordsFor } from "./words.js";

const $ = (id) => document.getElementById(id);
const AFTER = 600; // ms the quiet bot gets after the other one has ended
const MIDWAY = 2200; // ms into the story at which the gateway is killed
const LONGEST = 30_000; // ms to wait for one ending

const remembered = "lastword:demo:language";
let words = wordsFor("en");
let waiting = null;
let noted = 0;

const quiet = new Chat($("ordinary"), { base: "/chat/ordinary", composer: false, onevent: () => {} });
const loud = new Chat($("lastword"), { base: "/chat/lastword", composer: false, onevent: heard });

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

async function busy(work) {
  const buttons = [...document.querySelectorAll(".chips button")];
  buttons.forEach((button) => (button.disabled = true));
  try {
    await work();
  } finally {
    buttons.forEach((button) => (button.disabled = false));
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
  const faults = Object.keys(FAULTS).filter((name) => name !== "story");
  for (const name of faults) {
    score(words.running, ended, faults.length);
    const before = noted;
    await both(FAULTS[name]);
    if (noted > before) ended += 1;
  }
  score(words.score, ended, faults.length);
}

function score(text, ended, all) {
  $("score").textContent = text
    .replace("{all}", all)
    .replace("{ended}", ended)
    .replace("{silent}", all - ended);
}

function chip(name, label, work, kind = "") {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.className = kind;
  button.dataset.chip = name;
  button.addEventListener("click", () => busy(work));
  return button;
}

function speak(tag) {
  words = wordsFor(tag);
  document.documentElement.lang = tag;
  document.documentElement.dir = words.direction;
  for (const chat of [quiet, loud]) chat.setLanguage(tag);
  for (const id of ["lead", "language-label", "yours-title", "yours-lead"]) $(id).textContent = words[id];
  $("text").placeholder = words.placeholder;
  $("text").setAttribute("aria-label", words.placeholder);
  $("send").textContent = words.send;
  $("score").textContent = "";
  $("chips").replaceChildren(
    ...Object.keys(FAULTS)
      .filter((name) => name !== "story")
      .map((name) => chip(name, words.faults[name], () => both(FAULTS[name]))),
    chip("kill", words.kill, kill, "kill"),
    chip("everything", words.everything, everything, "all"),
  );
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
speak(preferred());
$("text").focus();
