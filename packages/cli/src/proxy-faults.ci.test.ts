import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

import { afterEach, beforeEach, expect, it } from "vitest";

import { openStore } from "./artifact-folder.ts";
import { isAtLeast, kills } from "../../../scripts/lengths/test-length.mjs";

/** A package with pg, which ccl takes from the project that it runs in. */
const cwd = fileURLToPath(new URL("../../artifact-store-postgres", import.meta.url));
const program = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));
const isLong = isAtLeast("faults");
const loadMs = 2 * 60_000;

let home: string;
let api: Server;
let upstream: string;
let answerTo: (body: string, response: ServerResponse) => void;
let proxy: ChildProcess | undefined;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "ccl-proxy-faults-"));
  api = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request
      .on("error", () => undefined)
      .on("end", () => answerTo(String(Buffer.concat(pieces)), response));
  });
  api.keepAliveTimeout = 600_000;
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
  const address = api.address();
  upstream = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});
afterEach(async () => {
  await end("SIGKILL");
  api.closeAllConnections();
  api.close();
  await rm(home, { recursive: true, force: true });
});

/** Starts the proxy on the same state folder; its address. */
async function start(postgres?: string): Promise<string> {
  const argv = ["proxy", "--upstream", upstream, "--port", "0", "--mode", "full"];
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_STATE_HOME: home,
    CCL_STATE_POSTGRES: postgres,
  };
  const stdio = ["ignore", "ignore", "pipe"] as const;
  const started = spawn(process.execPath, [program, ...argv], { cwd, env, stdio: [...stdio] });
  proxy = started;
  return await new Promise((resolve, reject) => {
    let said = "";
    // Goes on reading, so that the proxy is not held up.
    started.stderr?.on("data", (piece) => {
      said += stripVTControlCharacters(String(piece));
      const [, address] = /listening on (\S+)/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    started.once("exit", () => reject(new Error(`The proxy ended: ${said}`)));
  });
}

async function end(signal: NodeJS.Signals): Promise<void> {
  if (proxy === undefined || proxy.exitCode !== null || proxy.signalCode !== null) return;
  const ended = once(proxy, "exit");
  proxy.kill(signal);
  await ended;
}

/** A history of so many results; the text of each occurs in this session alone. */
function requestOf(session: string, results: number, lines = 75): string {
  const messages: object[] = [{ role: "user", content: `Look at ${session}, größer 🐢` }];
  for (let at = 0; at < results; at += 1) {
    const call = { id: `c${at}`, type: "function", function: { name: "list", arguments: "{}" } };
    const rows = Array.from(
      { length: lines },
      (_, row) =>
        `${session}/${at} von München took job ${(row * 7919) % 997} from ${(row * 31) % 17}`,
    );
    messages.push({ role: "assistant", content: null, tool_calls: [call] });
    messages.push({ role: "tool", tool_call_id: `c${at}`, content: rows.join("\n") });
  }
  return JSON.stringify({ model: "gpt-5", tools: [{ name: "shell" }], messages });
}

const handlesIn = (body: string): string[] =>
  [...body.matchAll(/artifacts search (\w{12})/g)].map(([, id = ""]) => id);

it(`keeps every handle that a model was shown through ${kills} kills in the middle of a stream`, async () => {
  const shown = new Map<string, string>();
  const last = new Map<string, string>();
  const changed: string[] = [];
  let reached: () => void = () => undefined;
  answerTo = (body, response) => {
    const session = /Look at (s\d+)/.exec(body)?.[1] ?? "";
    const before = last.get(session) ?? "";
    for (const id of handlesIn(body)) shown.set(id, session);
    const now = body.slice(0, -"]}".length);
    // What went out before its decision was kept may be shown in part later; what was shown in part stays so.
    if (handlesIn(before).length > 0 && !now.startsWith(before)) changed.push(session);
    last.set(session, now);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"choices":[{"index":0,"delta":{"content":"…"}}]}\n\n');
    reached();
  };
  // A busy machine passes results whole at first and shows them in part later, so that it takes more rounds.
  const isEnough = (): boolean => shown.size > kills;
  for (let round = 0; round < kills || (!isEnough() && round < 20 * kills); round += 1) {
    const url = await start();
    const sessions = Array.from({ length: 8 }, (_, at) => `s${(round >> 1) * 8 + at}`);
    const enough = 1 + (round % sessions.length);
    let count = 0;
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const killed = new Promise<void>((resolve) => {
      reached = () => {
        count += 1;
        begin();
        if (count === enough) resolve();
      };
    }).then(() => end("SIGKILL"));
    const ask = (session: string): Promise<string> =>
      fetch(`${url}/chat/completions`, {
        method: "POST",
        body: requestOf(session, 2 + (round % 2)),
      })
        .then((response) => response.text())
        .catch(() => "cut off");
    // A session whose first request meets others is shortened later. One has the proxy to itself.
    const [first = "", ...others] = sessions;
    const asked = [ask(first)];
    await begun;
    asked.push(...others.map(ask));
    await killed;
    expect(await Promise.all(asked)).toContain("cut off");
  }
  expect(changed).toEqual([]);
  expect(isEnough()).toBe(true);
  const { store } = await openStore(join(home, "ccl"));
  try {
    const { handles } = await store.listHandles({ limit: 1000 });
    const whole = (id: string): string | undefined =>
      handles.find(({ artifactId }) => artifactId.startsWith(id))?.artifactId;
    for (const [id, session] of shown) {
      const text = String(Buffer.from((await store.retrieve(whole(id) ?? id)) ?? []));
      expect(text.split("\n")).toHaveLength(75);
      expect(text.startsWith(`${session}/`)).toBe(true);
    }
    expect(whole("0123456789ab")).toBeUndefined();
  } finally {
    await store.close();
  }
}, 600_000);

const database = process.env["CCL_POSTGRES_URL"];

it.runIf(isLong && database !== undefined)(
  "shares a session among proxies, one of which is killed",
  async () => {
    const bodies: string[] = [];
    answerTo = (body, response) => {
      bodies.push(body);
      response.end("{}");
    };
    const ask = async (url: string, results: number, of = session): Promise<void> => {
      const body = requestOf(of, results, 45);
      await (await fetch(`${url}/chat/completions`, { method: "POST", body })).text();
    };
    // One that no run before has kept something of.
    const session = `s${Date.now() % 1e7}`;
    const first = await start(database);
    const firstProcess = proxy;
    const second = await start(database);
    const secondProcess = proxy;
    for (let results = 1; results <= 3; results += 1)
      await ask(results % 2 === 1 ? first : second, results);
    proxy = firstProcess;
    await end("SIGKILL");
    proxy = secondProcess;
    await ask(second, 4);
    const cut = (body: string): string => body.slice(0, -"]}".length);
    // None has been cut in so short a session.
    expect(bodies.slice(1).map((body, at) => body.startsWith(cut(bodies[at] ?? "")))).toEqual([
      true,
      true,
      true,
    ]);
    const ids = new Set(bodies.flatMap(handlesIn));
    // The first one stays whole: a prompt that is shorter would not be cached.
    expect(ids.size).toBe(3);
    const env = { PATH: process.env["PATH"], HOME: home, CCL_STATE_POSTGRES: database };
    const artifacts = async (...argv: string[]): Promise<string> => {
      const running = spawn(process.execPath, [program, "artifacts", ...argv], { cwd, env });
      let text = "";
      for await (const piece of running.stdout) text += String(piece);
      return text;
    };
    for (const id of ids) expect(await artifacts("read", id)).toContain(`${session}/`);
    // All of that is old for what prunes now, while the session continues; another one has ended.
    await ask(second, 3, `${session}9`);
    const forgotten = handlesIn(bodies.at(-1) ?? "");
    expect(forgotten.length).toBeGreaterThan(0);
    const old = Date.now();
    let results = 4;
    const continueSession = async (isEnough: () => boolean): Promise<void> => {
      while (!isEnough()) await ask(second, (results += 1));
    };
    await continueSession(() => Date.now() > old + 2000);
    let isPruned = false;
    const pruning = artifacts("prune", "--days", String((Date.now() - old) / 86_400_000)).then(
      (said) => {
        isPruned = true;
        return said;
      },
    );
    await continueSession(() => isPruned);
    expect(await pruning).toMatch(/removed [1-9]/);
    const kept = await artifacts("ls");
    const shown = handlesIn(bodies.at(-1) ?? "");
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((id) => !kept.includes(id))).toEqual([]);
    expect(forgotten.filter((id) => kept.includes(id))).toEqual([]);
  },
  120_000,
);

const statuses = [200, 200, 200, 429, 200, 529, 200, 413];

/** An answer of three-byte characters whose pieces end anywhere; or an error. */
function answerInPieces(body: string, response: ServerResponse): void {
  const status = statuses[body.length % statuses.length] ?? 200;
  response.writeHead(status, { "content-type": "text/event-stream", "retry-after": "7" });
  const bytes = Buffer.from(`data: {"text":"${"…".repeat(100)}"}\n\n`);
  const step = 1 + (body.length % 50);
  const next = (at: number): void => {
    if (response.destroyed) return;
    if (at >= bytes.length) return void response.end();
    response.write(bytes.subarray(at, at + step), () => setImmediate(next, at + step));
  };
  next(0);
}

/** What the proxy says of its memory, in MB. */
async function memoryOf(url: string): Promise<{ heap: number; resident: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const megabytes = (name: string): number =>
    Math.round(Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1]) / 2 ** 20);
  return {
    heap: megabytes("nodejs_heap_size_used_bytes"),
    resident: megabytes("process_resident_memory_bytes"),
  };
}

it.runIf(isLong)(
  "serves 200 sessions at once, some of which hang up, with flat memory",
  async () => {
    answerTo = answerInPieces;
    const url = await start();
    const until = Date.now() + loadMs;
    let [whole, refused, hungUp, sessions] = [0, 0, 0, 0];
    const wrong: string[] = [];
    const talk = async (client: number): Promise<void> => {
      for (let turn = 0; Date.now() < until; turn += 1) {
        const session = `s${client}-${Math.floor(turn / 12)}`;
        if (turn % 12 === 0) sessions += 1;
        const controller = new AbortController();
        const body = requestOf(session, 1 + (turn % 12), 60);
        const asked = fetch(`${url}/chat/completions`, {
          method: "POST",
          body,
          headers: { authorization: `Bearer key-of-${client}` },
          signal: controller.signal,
        });
        if ((client + turn) % 17 === 0) {
          hungUp += 1;
          setImmediate(() => controller.abort());
        }
        try {
          const response = await asked;
          const text = await response.text();
          if (response.status === 200) whole += 1;
          else refused += 1;
          if (!text.includes("…".repeat(100)) || response.headers.get("retry-after") !== "7")
            wrong.push(`${response.status} ${text.slice(0, 80)}`);
        } catch (error) {
          if (!controller.signal.aborted)
            wrong.push(String(error instanceof Error ? error.cause : error));
        }
      }
    };
    const samples: { heap: number; resident: number }[] = [];
    const watch = setInterval(
      () => {
        void memoryOf(url).then(
          (one) => samples.push(one),
          () => undefined,
        );
      },
      Math.max(1000, loadMs / 40),
    );
    await Promise.all(Array.from({ length: 200 }, (_, client) => talk(client)));
    clearInterval(watch);
    const stats: unknown = await (await fetch(`${url}/stats`)).json();
    console.log(
      JSON.stringify({ whole, refused, hungUp, wrong: wrong.length, sessions, stats, samples }),
    );
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(0);
    expect(stats).toMatchObject({ upstreamErrors: 0 });
    // The least of each half: what is kept, without what waits for the collector.
    const half = samples.length >> 1;
    const least = (some: typeof samples): number => Math.min(...some.map(({ heap }) => heap));
    expect(least(samples.slice(half))).toBeLessThan(
      least(samples.slice(half >> 1, half)) * 1.25 + 20,
    );
    // A credential stands in no file.
    await end("SIGINT");
    for (const name of ["artifacts.db", "artifacts.db-wal"])
      expect(
        (await readFile(join(home, "ccl", name)).catch(() => Buffer.of())).includes("key-of-"),
      ).toBe(false);
  },
  loadMs + 120_000,
);
