import { EventEmitter, once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";

import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { request as send } from "undici";
import { createMemoryRecords } from "@ccl/records";
import { afterEach, describe, expect, it } from "vitest";

import { createGateway } from "../gateway/create-gateway.ts";
import { storedZstd } from "./__fixtures__/stored-zstd.ts";
import { openProxy, type Proxy } from "./open-proxy.ts";

const open: (Proxy | Server)[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** Also returns `next`, which waits until a request has been counted. */
async function proxyTo(
  handle: RequestListener,
): Promise<Proxy & { direct: string; next: () => Promise<unknown> }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const direct = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const gateway = createGateway({
    records: createMemoryRecords(),
    artifactStore: createMemoryArtifactStore(),
    mode: "full",
    timeoutMs: 10_000,
  });
  const counted = new EventEmitter();
  const record = { add: (): boolean => counted.emit("one") };
  const proxy = await openProxy({ gateway, upstream: direct, port: 0, record });
  open.push(proxy, server);
  return { ...proxy, direct, next: () => once(counted, "one") };
}

const encoders: Record<string, (bytes: Uint8Array) => Buffer> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  zstd: storedZstd,
};
const encodeIn = (encoding: string, bytes: Uint8Array): Buffer => {
  const encode = encoders[encoding];
  if (encode === undefined) throw new Error(`Nothing encodes ${encoding}.`);
  return encode(bytes);
};

const log = Array.from(
  { length: 900 },
  (_, at) => `10:00:${at % 60} INFO worker ${at % 17} took ${(at * 7919) % 9973} ms`,
).join("\n");
const body = Buffer.from(
  JSON.stringify({
    model: "gpt-5",
    tools: [{ type: "function", name: "shell" }],
    input: [
      { role: "user", content: "Which worker was slow?" },
      { type: "function_call", call_id: "c1", name: "shell", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: log },
    ],
  }),
);
const events = [
  { type: "message_start", message: { usage: { input_tokens: 40, cache_read_input_tokens: 900 } } },
  { type: "content_block_delta", delta: { text: 'They said "input_tokens": 77777. '.repeat(99) } },
  { type: "message_delta", usage: { input_tokens: 40, cache_creation_input_tokens: 60 } },
];
const stream = Buffer.from(
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
);
const reported = { total: 1_000, cached: 900, written: 60 };

async function ask(
  url: string,
  headers: Record<string, string> = {},
  sent: Uint8Array = body,
): Promise<{ headers: object; bytes: Buffer }> {
  const asked = await send(`${url}/responses`, { method: "POST", body: sent, headers });
  const { date: _, connection: _own, "keep-alive": _time, ...rest } = asked.headers;
  return { headers: rest, bytes: Buffer.from(await asked.body.arrayBuffer()) };
}

describe("an answer in", () => {
  it.each(Object.keys(encoders))("%s is measured and forwarded unchanged", async (encoding) => {
    const answer = encodeIn(encoding, stream);
    const proxy = await proxyTo((request, response) => {
      request.resume();
      response.writeHead(200, {
        "Content-Encoding": encoding,
        "content-type": "text/event-stream",
      });
      for (let at = 0; at < answer.length; at += 100) response.write(answer.subarray(at, at + 100));
      response.end();
    });
    const direct = await ask(proxy.direct);
    const counted = proxy.next();
    expect(await ask(proxy.url)).toEqual(direct);
    await counted;
    expect(direct.bytes).toEqual(answer);
    expect(proxy.stats()).toMatchObject({ reported, unreported: 0 });
    expect(proxy.stats().compared.planned.reportedUsd).toBeGreaterThan(0);
  });

  it.each([
    ["an unknown encoding", "compress", stream, undefined],
    ["an encoding other than the declared one", "gzip", stream, undefined],
    ["an encoding truncated before the usage", "gzip", gzipSync(stream).subarray(0, 12), undefined],
    ["plain text without usage", "identity", Buffer.from('{"ok":true}'), undefined],
    ["an encoding truncated after the usage", "gzip", gzipSync(stream).subarray(0, -4), reported],
  ])(
    "%s is forwarded, and counted as unreported if its usage is unreadable",
    async (_, encoding, answer, figures) => {
      const proxy = await proxyTo((request, response) => {
        request.resume();
        response.writeHead(200, { "content-encoding": encoding }).end(answer);
      });
      const counted = proxy.next();
      expect((await ask(proxy.url)).bytes).toEqual(answer);
      await counted;
      const isUnreported = figures === undefined;
      const sum = figures ?? { total: 0, cached: 0, written: 0 };
      expect(proxy.stats()).toMatchObject({ reported: sum, unreported: isUnreported ? 1 : 0 });
      const metrics = await (await fetch(`${proxy.url}/metrics`)).text();
      expect(metrics).toContain(`ccl_answers_unreported_total ${isUnreported ? 1 : 0}`);
    },
  );
});

describe("a request in", () => {
  /** Echoes the request. */
  const echo: RequestListener = (request, response) => {
    response.setHeader("x-came", String(request.headers["content-encoding"]));
    request.pipe(response);
  };

  it.each(Object.keys(encoders))(
    "%s is shortened like a plain one, or forwarded unchanged",
    async (encoding) => {
      const proxy = await proxyTo(echo);
      const plain = await ask(proxy.url);
      expect(plain.bytes.length).toBeLessThan(body.length * 0.9);
      const headers = { "content-encoding": encoding, "x-session-id": "encoded" };
      const encoded = await ask(proxy.url, headers, encodeIn(encoding, body));
      expect(encoded.bytes).toEqual(plain.bytes);
      expect(encoded.headers).toMatchObject({ "x-came": "undefined" });
      const short = encodeIn(encoding, Buffer.from('{"model":"gpt-5","input":[]}'));
      const passed = await ask(proxy.url, headers, short);
      expect(passed.bytes).toEqual(short);
      expect(passed.headers).toMatchObject({ "x-came": encoding });
      expect(proxy.stats()).toMatchObject({
        requests: 3,
        changed: 2,
        passed: { nothing_to_do: 1 },
      });
    },
  );

  it("an unreadable encoding is forwarded unchanged and counted under its own reason", async () => {
    const proxy = await proxyTo(echo);
    for (const [encoding, sent] of [
      ["compress", body],
      ["gzip", body],
      ["zstd", gzipSync(body)],
    ] as const) {
      const { bytes, headers } = await ask(proxy.url, { "content-encoding": encoding }, sent);
      expect(bytes).toEqual(sent);
      expect(headers).toMatchObject({ "x-came": encoding });
    }
    expect(proxy.stats()).toMatchObject({ changed: 0, passed: { unreadable_encoding: 3 } });
    expect(gunzipSync(gzipSync(body))).toEqual(body);
  });
});
