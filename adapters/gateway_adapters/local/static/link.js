// The wire between one chat and the server: who we are, what happens, and what we have to say.

const KINDS = ["message", "answer", "pressed", "preview", "cleared", "typing", "notice", "state", "beat"];
const DELAYS = [250, 500, 1000, 2000, 4000, 8000]; // ms between two tries
const DEAF = 40_000; // ms without a sign of life (one comes every 15 s) after which a connection is dead
const HIDDEN = 20_000; // ms a page in the background keeps its connection; browsers allow six per server
const POST = 15_000; // ms one post may take

const wait = (tries) => DELAYS[Math.min(tries, DELAYS.length - 1)] * (0.75 + Math.random() / 2);

/**
 * `on` hears: `event(kind, data)`, `online(yes)`, `reset()` when we turn out to be somebody else,
 * `sent(item)` and `refused(item, why)` for what was posted.
 */
export class Link {
  #base;
  #on;
  #unsent;
  #source = null;
  #chat = "";
  #after = 0;
  #tries = 0;
  #again = 0;
  #deaf = 0;
  #hidden = 0;
  #posting = false;
  #closed = new AbortController();

  constructor(base, on) {
    this.#base = base;
    this.#on = on;
    this.#unsent = new Unsent(base);
    const { signal } = this.#closed;
    addEventListener("online", () => this.#now(), { signal });
    document.addEventListener("visibilitychange", () => this.#seen(), { signal });
  }

  /** What an earlier visit could not send. */
  get unsent() {
    return this.#unsent.items;
  }

  start() {
    this.#connect();
  }

  close() {
    this.#closed.abort();
    this.#drop();
    clearTimeout(this.#again);
    clearTimeout(this.#hidden);
  }

  /** Sends in order, kept until the server has it. */
  post(item) {
    this.#unsent.add(item);
    this.#flush();
  }

  /** Sends at once, past what waits. */
  async urge(item) {
    for (let tries = 0; tries < DELAYS.length && !this.#closed.signal.aborted; tries++) {
      if ((await this.#deliver(item)) !== "later") return;
      await new Promise((done) => setTimeout(done, wait(tries)));
    }
  }

  async #connect() {
    if (this.#source || this.#closed.signal.aborted) return;
    clearTimeout(this.#again);
    if (!this.#chat && !(await this.#identify())) return this.#later();
    if (this.#source || this.#closed.signal.aborted) return;
    const source = new EventSource(`${this.#base}/events?after=${this.#after}`);
    this.#source = source;
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => source === this.#source && this.#heard(kind, event));
    }
    source.addEventListener("error", () => source === this.#source && this.#lost());
    this.#listen();
  }

  async #identify() {
    const answer = await this.#fetch("session", {});
    if (!answer?.ok) return false;
    const { chat, ...about } = await answer.json();
    this.#become(chat);
    this.#on.event("about", about);
    return true;
  }

  #become(chat) {
    const other = this.#chat && this.#chat !== chat;
    this.#chat = chat;
    if (!other) return;
    this.#after = 0;
    this.#drop();
    this.#on.reset();
    this.#connect();
  }

  #heard(kind, event) {
    this.#listen();
    if (event.lastEventId) this.#after = Math.max(this.#after, Number(event.lastEventId));
    const data = JSON.parse(event.data);
    if (kind === "message" || kind === "pressed") this.#unsent.remove(data.id);
    if (kind === "state") {
      this.#tries = 0;
      this.#on.online(true);
      if (data.chat !== this.#chat) return this.#become(data.chat);
      this.#flush();
    }
    this.#on.event(kind, data);
  }

  #listen() {
    clearTimeout(this.#deaf);
    this.#deaf = setTimeout(() => this.#lost(), DEAF);
  }

  #lost() {
    this.#drop();
    this.#on.online(false);
    this.#later();
  }

  #drop() {
    clearTimeout(this.#deaf);
    this.#source?.close();
    this.#source = null;
  }

  #later() {
    clearTimeout(this.#again);
    if (this.#closed.signal.aborted) return;
    this.#again = setTimeout(() => this.#retry(), wait(this.#tries++));
  }

  async #retry() {
    if (await this.#identify()) this.#connect();
    else {
      this.#on.online(false);
      this.#later();
    }
  }

  #now() {
    this.#tries = 0;
    if (!this.#source) this.#connect();
  }

  #seen() {
    clearTimeout(this.#hidden);
    if (document.visibilityState === "hidden") this.#hidden = setTimeout(() => this.#drop(), HIDDEN);
    else this.#now();
  }

  async #flush() {
    if (this.#posting) return;
    this.#posting = true;
    for (let tries = 0; this.#unsent.first && !this.#closed.signal.aborted; ) {
      const item = this.#unsent.first;
      const outcome = await this.#deliver(item);
      if (outcome === "later") await new Promise((done) => setTimeout(done, wait(tries++)));
      else {
        tries = 0;
        this.#unsent.remove(item.id);
        if (outcome === "sent") this.#on.sent(item);
        else this.#on.refused(item, outcome);
      }
    }
    this.#posting = false;
  }

  /** `sent`, `later`, or why not. */
  async #deliver({ kind, id, language, ...rest }) {
    const { at: _, ...body } = rest;
    const answer = await this.#fetch(kind, { id, language, ...body });
    if (!answer || answer.status >= 500 || answer.status === 408 || answer.status === 429) return "later";
    if (answer.status === 401) {
      await this.#identify();
      return "later";
    }
    const said = await answer.json().catch(() => ({}));
    if (!answer.ok) return said.error ?? "refused";
    if (said.chat) this.#become(said.chat);
    return "sent";
  }

  async #fetch(path, body) {
    try {
      return await fetch(`${this.#base}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(POST),
      });
    } catch {
      return null;
    }
  }
}

/** What the server does not have yet, in order, over reloads where the browser lets us. */
class Unsent {
  #prefix;
  items = [];

  constructor(base) {
    this.#prefix = `lastword:${base}:unsent:`;
    this.#storage((storage) => {
      const keys = Object.keys(storage).filter((key) => key.startsWith(this.#prefix));
      this.items = keys.map((key) => JSON.parse(storage.getItem(key))).sort((a, b) => a.at - b.at);
    });
  }

  get first() {
    return this.items[0];
  }

  add(item) {
    this.items.push(item);
    this.#storage((storage) => storage.setItem(this.#prefix + item.id, JSON.stringify(item)));
  }

  remove(id) {
    this.items = this.items.filter((item) => item.id !== id);
    this.#storage((storage) => storage.removeItem(this.#prefix + id));
  }

  #storage(use) {
    try {
      use(localStorage);
    } catch {
      // storage is off or full; memory alone holds it
    }
  }
}
