import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";

import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { isRecord, parseJson } from "@ccl/core/json";
import { Server } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openMcpProxy } from "../proxy/open-mcp-proxy.ts";
import { createMcpServer } from "../server/create-mcp-server.ts";
import type { McpServerFactory } from "../server/mcp-server-options.ts";
import { openMcpHttp } from "./open-mcp-http.ts";
import { openMcpStdio } from "./open-mcp-stdio.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const isLong = isAtLeast("faults");
const runs = isLong ? {} : { numRuns: 6 };
const notifying = fileURLToPath(new URL("../__fixtures__/notifying-server.mjs", import.meta.url));

const factories = new Map<string, McpServerFactory>();
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  const artifacts = createMemoryArtifactStore();
  await artifacts.store("a needle in a text", { source: "test", mimeType: "text/plain" });
  factories.set("the server", createMcpServer({ artifacts }));
  const process_ = { command: process.execPath, args: [notifying] };
  const proxy = await openMcpProxy({ servers: { one: process_, two: process_ }, listTokens: 600 });
  closers.push(() => proxy.close());
  factories.set("the proxy", proxy.factory);
});
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

/** What goes over the wire: a request that has to be answered, or something else. */
type Sent =
  | { kind: "request"; method: string; params: object | undefined }
  | { kind: "noise"; bytes: Uint8Array };

const initialize: Sent = {
  kind: "request",
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "fuzz", version: "1" },
  },
};
const huge = "x".repeat(300_000);
const inputs = fc.oneof(
  fc.constantFrom({}, { query: "needle" }, { query: huge }, { name: "one__echo", input: {} }),
  fc.dictionary(fc.string(), fc.jsonValue()),
);
const names = fc.oneof(
  fc.constantFrom("search_artifact", "read_artifact", "call_tool", "find_tools", "one__echo"),
  fc.string(),
);
const requests = fc
  .oneof(
    fc
      .tuple(names, inputs)
      .map(([name, given]) => ({ method: "tools/call", params: { name, arguments: given } })),
    fc.record({
      method: fc.oneof(
        fc.constantFrom(
          "ping",
          "tools/list",
          "tools/call",
          "resources/list",
          "resources/read",
          "prompts/list",
          "prompts/get",
          "completion/complete",
          "logging/setLevel",
          "resources/subscribe",
          "initialize",
          "server/discover",
          "sampling/createMessage",
          "tasks/list",
        ),
        fc.string(),
      ),
      params: fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined }),
    }),
  )
  .map(({ method, params }): Sent => ({ kind: "request", method, params }));
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const noise = fc
  .oneof(
    fc.string().map(encode),
    fc.jsonValue().map((value) => encode(JSON.stringify(value))),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => bytes.map((byte) => (byte === 10 ? 0 : byte))),
    fc.constantFrom("[".repeat(20_000), `{"jsonrpc":"2.0","id":${huge}`, "{}", "null").map(encode),
    fc
      .record({
        jsonrpc: fc.constant("2.0"),
        id: fc.oneof(fc.constant(null), fc.double(), fc.constant("unknown"), fc.constant({})),
        result: fc.jsonValue(),
      })
      .map((answer) => encode(JSON.stringify(answer))),
    fc
      .record({
        jsonrpc: fc.constantFrom("2.0", "1.0"),
        method: fc.constantFrom(
          "notifications/initialized",
          "notifications/cancelled",
          "notifications/progress",
          "notifications/roots/list_changed",
          "notifications/none",
        ),
        params: fc.oneof(fc.constant({ requestId: "unknown" }), fc.jsonValue()),
      })
      .map((notification) => encode(JSON.stringify(notification))),
  )
  .map((bytes): Sent => ({ kind: "noise", bytes }));
const scripts = fc.array(fc.oneof({ weight: 3, arbitrary: requests }, noise), { maxLength: 25 });

/** Strings and numbers by turns. */
const idOf = (at: number): string | number => (at % 2 === 0 ? at : `id ${at}`);

function lineOf(sent: Sent, at: number): Uint8Array {
  if (sent.kind === "noise") return sent.bytes;
  const { method, params } = sent;
  return encode(JSON.stringify({ jsonrpc: "2.0", id: idOf(at), method, params }));
}

interface Answer {
  id: unknown;
  line: string;
}

/** Sends all over stdio, in pieces of this size; what is answered, in the order in which it comes. */
async function overStdio(
  factory: McpServerFactory,
  script: readonly Sent[],
  { pieceBytes, waitMs = 50_000 }: { pieceBytes: number; waitMs?: number },
): Promise<Answer[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = await openMcpStdio(factory, { input, output });
  const wanted = script.filter(({ kind }) => kind === "request").length;
  const answered: Answer[] = [];
  const deadline = AbortSignal.timeout(waitMs);
  const all = new Promise<void>((resolve) => {
    // What arrives in the middle of a line waits for its end.
    let rest = "";
    output.on("data", (piece: Buffer) => {
      const lines = (rest + String(piece)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = parseJson(line);
        if (isRecord(message) && message["method"] === undefined)
          answered.push({ id: message["id"], line });
      }
      if (answered.length >= wanted) resolve();
    });
    deadline.addEventListener("abort", () => resolve());
    void served.closed.then(resolve);
  });
  const bytes = Buffer.concat(script.flatMap((sent, at) => [lineOf(sent, at), encode("\n")]));
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    input.write(bytes.subarray(at, at + pieceBytes));
    if (at % (20 * pieceBytes) === 0) await new Promise(setImmediate);
  }
  if (wanted > 0) await all;
  await served.close();
  return answered;
}

function wantedIds(script: readonly Sent[]): unknown[] {
  return script.flatMap(({ kind }, at) => (kind === "request" ? [idOf(at)] : []));
}

/** Each request was answered, once, and nothing else. */
function expectAnswered(answered: readonly Answer[], script: readonly Sent[]): void {
  expect(answered.map(({ id }) => String(id)).toSorted()).toEqual(
    wantedIds(script).map(String).toSorted(),
  );
}

describe("the protocol over stdio", () => {
  it.each(["the server", "the proxy"])(
    "gets each request an answer of %s, whatever comes between",
    async (name) => {
      const factory = factoryOf(name);
      await fc.assert(
        fc.asyncProperty(
          scripts,
          fc.integer({ min: 20, max: 70_000 }),
          async (rest, pieceBytes) => {
            const script = [initialize, ...rest];
            expectAnswered(await overStdio(factory, script, { pieceBytes }), script);
          },
        ),
        runs,
      );
    },
  );

  it("would show an answer that is lost", async () => {
    const forgetful: McpServerFactory = () => {
      const server = new Server({ name: "x", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => new Promise(() => undefined));
      return server;
    };
    const script: Sent[] = [
      initialize,
      { kind: "request", method: "tools/list", params: undefined },
    ];
    const answered = await overStdio(forgetful, script, { pieceBytes: 64, waitMs: 300 });
    expect(() => expectAnswered(answered, script)).toThrow("deeply equal");
  });

  it("answers many calls at once, each with its own answer", async () => {
    const calls = Array.from({ length: isLong ? 1_000 : 200 }, (_, at): Sent => {
      const name = at % 2 === 0 ? "one__echo" : "two__echo";
      const params = { name, arguments: { text: `text ${idOf(at + 1)}.` } };
      return { kind: "request", method: "tools/call", params };
    });
    const script = [initialize, ...calls];
    const answered = await overStdio(factoryOf("the proxy"), script, { pieceBytes: 65_536 });
    expectAnswered(answered, script);
    const others = answered.filter(
      ({ id, line }) => id !== idOf(0) && !line.includes(`"text ${String(id)}."`),
    );
    expect(others).toEqual([]);
  });
});

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const strangeHeaders = fc.constantFrom<Record<string, string>>(
  headers,
  { ...headers, "mcp-session-id": "unknown" },
  { ...headers, "mcp-protocol-version": "1900-01-01" },
  { ...headers, accept: "text/html" },
  { accept: headers.accept },
);
const methods = fc.oneof(
  { weight: 8, arbitrary: fc.constant("POST") },
  fc.constantFrom("GET", "DELETE", "PUT", "OPTIONS"),
);

/** Begins a request, sends some of its body and goes. */
async function hangUp(url: string, bytes: Uint8Array): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const gone = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => undefined);
  const length = bytes.length + 1;
  socket.write(`POST /mcp HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${length}\r\n\r\n`);
  socket.write(bytes, () => socket.destroy());
  await gone;
}

describe("the protocol over HTTP", () => {
  it.each(["the server", "the proxy"])(
    "gets each request an answer of %s, whatever else comes",
    async (name) => {
      const { url, close } = await openMcpHttp(factoryOf(name));
      const post = (body: Uint8Array, init: RequestInit = { headers }): Promise<Response> =>
        fetch(url, { method: "POST", body, ...init });
      await fc.assert(
        fc.asyncProperty(scripts, strangeHeaders, methods, async (script, strange, method) => {
          const isStrange = (at: number): boolean => at % 3 === 2;
          const texts = await Promise.all(
            script.map(async (sent, at) => {
              const line = lineOf(sent, at);
              if (at % 5 === 4) await hangUp(url, line);
              const init = isStrange(at) ? { headers: strange, method } : { headers };
              const hasBody = init.method !== "GET";
              const answer = await (hasBody ? post(line, init) : fetch(url, init));
              // A stream without a request has no end.
              if (answer.status !== 200 || hasBody) return await answer.text();
              await answer.body?.cancel();
              return "";
            }),
          );
          const unanswered = script.flatMap(({ kind }, at) => {
            const isAnswered = texts[at]?.includes(`"id":${JSON.stringify(idOf(at))}`) === true;
            return kind === "noise" || isStrange(at) || isAnswered ? [] : [texts[at]];
          });
          expect(unanswered).toEqual([]);
        }),
        runs,
      );
      expect((await post(encode("x".repeat(5_000_000)))).status).toBe(413);
      const ping = { jsonrpc: "2.0", id: "last", method: "ping" };
      expect(await (await post(encode(JSON.stringify(ping)))).text()).toContain('"id":"last"');
      await close();
    },
  );
});

function factoryOf(name: string): McpServerFactory {
  const factory = factories.get(name);
  if (factory === undefined) throw new Error(`There is no ${name}.`);
  return factory;
}
