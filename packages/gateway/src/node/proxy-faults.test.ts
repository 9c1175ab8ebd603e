import { createServer, request as send, type RequestListener, type Server } from "node:http";

import { type ArtifactStore, createMemoryArtifactStore } from "@ccl/artifact-store";
import { createMemoryRecords, type Records } from "@ccl/records";
import { afterEach, expect, it } from "vitest";

import { createGateway } from "../gateway/create-gateway.ts";
import { openProxy, type Proxy } from "./open-proxy.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

const open: (Proxy | Server)[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** Starts an API with a handler. Returns its address. */
async function apiOf(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.unshift(server);
  server.unref();
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

/** Echoes the request, with usage. */
const echo: RequestListener = (request, response) => {
  response.setHeader("retry-after", "7");
  const status = Number(request.headers["x-status"] ?? 200);
  response.writeHead(status, { "content-type": "application/json" });
  request.pipe(response);
};

async function proxyTo(
  upstream: string,
  stores: { records?: Records; artifactStore?: ArtifactStore; timeoutMs?: number } = {},
): Promise<Proxy> {
  const gateway = createGateway({
    records: createMemoryRecords(),
    artifactStore: createMemoryArtifactStore(),
    mode: "full",
    timeoutMs: 10_000,
    ...stores,
  });
  const proxy = await openProxy({ gateway, upstream, port: 0 });
  open.unshift(proxy);
  return proxy;
}

function requestOf(session: string, results: number): string {
  const lines = Array.from(
    { length: 200 },
    (_, at) => `${session}-${at} took job ${(at * 7919) % 997} from ${(at * 31) % 17}`,
  );
  const messages: object[] = [{ role: "user", content: `Look at ${session}` }];
  for (let at = 0; at < results; at += 1) {
    const call = { id: `c${at}`, type: "function", function: { name: "list", arguments: "{}" } };
    messages.push({ role: "assistant", content: null, tool_calls: [call] });
    messages.push({ role: "tool", tool_call_id: `c${at}`, content: lines.join(` ${at}\n`) });
  }
  return JSON.stringify({ model: "gpt-5", tools: [{ name: "shell" }], messages });
}

async function ask(
  proxy: Proxy,
  body: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; retryAfter: string | null; text: string }> {
  const url = `${proxy.url}/v1/chat/completions`;
  const response = await fetch(url, { method: "POST", body, headers });
  const { status } = response;
  return { status, retryAfter: response.headers.get("retry-after"), text: await response.text() };
}

/** Sends a request and disconnects immediately. */
async function hangUp(proxy: Proxy, body: string): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const url = `${proxy.url}/v1/chat/completions`;
  const gone = fetch(url, { method: "POST", body, signal }).catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await gone;
}

it.each([413, 429, 529])("forwards %i with its body and its retry-after header", async (status) => {
  const proxy = await proxyTo(await apiOf(echo));
  const body = requestOf("s", 3);
  const answer = await ask(proxy, body, { "x-status": String(status) });
  expect(answer).toMatchObject({ status, retryAfter: "7" });
  expect(answer.text.length).toBeLessThan(body.length * 0.9);
  expect(await ask(proxy, body, { "x-status": String(status) })).toEqual(answer);
});

it("forwards a new session unchanged while another request waits, and repeats the decisions of a known one", async () => {
  const proxy = await proxyTo(await apiOf(echo));
  const known = requestOf("known", 4);
  const shown = (await ask(proxy, known)).text;
  expect(shown.length).toBeLessThan(known.length);
  // A client that sends its body slowly.
  const headers = { "content-length": "9" };
  const path = "/v1/chat/completions";
  const slow = send(`${proxy.url}${path}`, { method: "POST", headers, agent: false });
  slow.on("error", () => undefined).write("{");
  while (proxy.stats().requests < 2) await new Promise((resolve) => setImmediate(resolve));
  const fresh = requestOf("fresh", 40);
  expect((await ask(proxy, fresh)).text === fresh).toBe(true);
  expect((await ask(proxy, known)).text).toBe(shown);
  expect((await ask(proxy, fresh)).text.length).toBeLessThan(fresh.length);
  slow.destroy();
  expect(proxy.stats()).toMatchObject({ passed: { busy: 1 }, unpriced: 0 });
});

it("starts forwarding a new session's body before it is complete while another request waits", async () => {
  const came: string[] = [];
  const proxy = await proxyTo(
    await apiOf((request, response) => {
      request.on("data", (piece: Buffer) => came.push(String(piece)));
      request.on("end", () => response.end('{"usage":{"prompt_tokens":70}}'));
    }),
  );
  const startOf = (name: string) => {
    const [url, body] = [`${proxy.url}/v1/chat/completions`, requestOf(name, 4)];
    const headers = { "content-length": body.length, "x-session-id": name };
    const request = send(url, { method: "POST", headers, agent: false });
    request.on("error", () => undefined).write(body.slice(0, 5_000));
    return { request, body };
  };
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
  };
  const slow = startOf("slow");
  await until(() => proxy.stats().requests === 1);
  const { request, body } = startOf("fresh");
  await until(() => came.length > 0);
  request.end(body.slice(5_000));
  await until(() => proxy.stats().reported.total > 0);
  expect(came.join("")).toBe(body);
  expect(proxy.stats()).toMatchObject({ passed: { busy: 1 }, reported: { total: 70 } });
  slow.request.destroy();
});

const full = (): Promise<never> => Promise.reject(new Error("ENOSPC"));
const never = (): Promise<never> => new Promise(() => undefined);
const faulty: [string, string, Parameters<typeof proxyTo>[1]][] = [
  [
    "is missing",
    "store_failed",
    { records: { ...createMemoryRecords(), readLog: full, write: full } },
  ],
  ["is full", "store_failed", { records: { ...createMemoryRecords(), write: full } }],
  [
    "does not answer",
    "timeout",
    { records: { ...createMemoryRecords(), readLog: never, write: never }, timeoutMs: 20 },
  ],
  [
    "can't store the full text of a shortened result",
    "store_failed",
    { artifactStore: { ...createMemoryArtifactStore(), storeMany: full } },
  ],
];

it.each(faulty)("sends the original bytes if the store %s", async (_name, reason, stores) => {
  const proxy = await proxyTo(await apiOf(echo), stores);
  for (const results of [3, 4]) {
    const body = requestOf("s", results);
    expect((await ask(proxy, body)).text === body).toBe(true);
  }
  expect(proxy.stats()).toMatchObject({ requests: 2, changed: 0, passed: { [reason]: 2 } });
});

it("keeps many concurrent sessions apart, even if some clients disconnect", async () => {
  const count = byLength({ test: 12, faults: 200 });
  const proxy = await proxyTo(await apiOf(echo));
  const talk = async (session: string): Promise<void> => {
    for (let results = 1; results <= 5; results += 1) {
      const body = requestOf(session, results);
      if (results === 3) await hangUp(proxy, body);
      const { text } = await ask(proxy, body);
      const { messages } = JSON.parse(text);
      expect(messages).toHaveLength(1 + results * 2);
      const named = new Set(text.match(/s\d+(?=-\d)/g));
      expect([...named]).toEqual([session]);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, at) => talk(`s${at}`)));
  const { changed, passed, upstreamErrors } = proxy.stats();
  expect(changed).toBeGreaterThanOrEqual(count * 3);
  expect({ upstreamErrors, store: passed.store_failed, late: passed.timeout }).toEqual({
    upstreamErrors: 0,
  });
});
