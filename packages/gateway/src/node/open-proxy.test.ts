import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import Anthropic from "@anthropic-ai/sdk";
import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { sha256Hex } from "@ccl/core";
import { startTestServer, type TestServer } from "@ccl/providers/testing";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createGateway, type GatewayOptions } from "../gateway/create-gateway.ts";
import { openGatewayRecords } from "./open-gateway-records.ts";
import { openProxy, type Proxy, type ProxyOptions } from "./open-proxy.ts";

let folder: string;
let upstream: TestServer;
const open: { close(): unknown }[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-proxy-"));
  upstream = await startTestServer();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

async function proxyTo(
  address: string,
  options: Partial<ProxyOptions & GatewayOptions> = {},
): Promise<Proxy> {
  const records = await openGatewayRecords(folder);
  const gateway = createGateway({
    records,
    artifactStore: createMemoryArtifactStore(),
    mode: "full",
    timeoutMs: 10_000,
    ...options,
  });
  const proxy = await openProxy({ gateway, upstream: address, port: 0, ...options });
  open.push(proxy, records);
  return proxy;
}

/** Starts a server with a handler. Returns its address and the requests that it received. */
async function serverOf(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle ?? (() => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(server);
  server.unref();
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

const result = JSON.stringify(
  Array.from({ length: 900 }, (_, at) => ({ id: `o-${at}`, state: "paid", country: "AT" })),
);

describe("official clients through the proxy", () => {
  it("returns the same answers to openai, shortens results, and writes the key to no file", async () => {
    upstream.enqueue({ type: "answer", text: "Pong" }, { type: "answer", text: "Pong" });
    const proxy = await proxyTo(upstream.baseUrl("openai"));
    const client = new OpenAI({ baseURL: proxy.url, apiKey: "sk-secret-key", maxRetries: 0 });
    const tools = [{ type: "function" as const, function: { name: "bash" } }];
    const messages = [
      { role: "user" as const, content: "Which order is it?" },
      {
        role: "assistant" as const,
        content: null,
        tool_calls: [
          { id: "c1", type: "function" as const, function: { name: "orders", arguments: "{}" } },
        ],
      },
      { role: "tool" as const, tool_call_id: "c1", content: result },
    ];
    const whole = await client.chat.completions.create({ model: "gpt-5", messages, tools });
    expect(whole.choices[0]?.message.content).toBe("Pong");
    let streamed = "";
    for await (const { choices } of await client.chat.completions.create({
      model: "gpt-5",
      tools,
      messages,
      stream: true,
    }))
      streamed += choices[0]?.delta.content ?? "";
    expect(streamed).toBe("Pong");
    const [first, second] = upstream.calls.map(({ body }) => JSON.stringify(body["messages"]));
    expect(first?.length).toBeLessThan(result.length / 2);
    expect(second).toBe(first);
    expect(upstream.calls[0]?.headers.authorization).toBe("Bearer sk-secret-key");
    expect(proxy.stats()).toMatchObject({ requests: 2, changed: 2, upstreamErrors: 0 });
    const kept = join(folder, "gateway");
    for (const name of await readdir(kept))
      expect(await readFile(join(kept, name), "utf8")).not.toContain("sk-secret");
    expect(await readFile(join(kept, "records.log"), "utf8")).toContain("gateway/decisions/");
    const metrics = await (await fetch(`${proxy.url}/metrics`)).text();
    expect(metrics).toContain("ccl_requests_changed_total 2");
    expect(metrics).not.toContain("sk-secret");
  });

  it("forwards streams and errors of Anthropic's API", async () => {
    upstream.enqueue(
      { type: "answer", text: "Grüße 🦊", chunkBytes: 3 },
      { type: "error", status: 529, message: "Overloaded" },
    );
    const proxy = await proxyTo(upstream.baseUrl("anthropic"));
    const client = new Anthropic({ baseURL: proxy.url, apiKey: "key", maxRetries: 0 });
    const request = {
      model: "claude-sonnet-5-5",
      max_tokens: 10,
      messages: [{ role: "user" as const, content: "Hi" }],
    };
    expect(await client.messages.stream(request).finalText()).toBe("Grüße 🦊");
    await expect(client.messages.create(request)).rejects.toMatchObject({ status: 529 });
    expect(proxy.stats().passed).toEqual({ nothing_to_do: 2 });
  });
});

it("forwards the body and the header order unchanged if there is nothing to shorten", async () => {
  const seen: { raw: string[]; hash: string }[] = [];
  const address = await serverOf(async (request, response) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of request) pieces.push(piece);
    seen.push({ raw: request.rawHeaders, hash: sha256Hex(Buffer.concat(pieces)) });
    response.end("{}");
  });
  const proxy = await proxyTo(address);
  const body = '{ "model":"m" ,"messages":[{"role":"user","content":"\\u00e9"}], "seed":1.0 }';
  const headers = [
    "X-Zeta",
    "1",
    "anthropic-beta",
    "b,a",
    "Authorization",
    "Bearer x",
    "Content-Type",
    "application/json",
    "x-alpha",
    "2",
  ];
  await new Promise<void>((resolve, reject) => {
    const own = [...headers, "Content-Length", String(body.length)];
    send(
      `${proxy.url}/v1/messages?beta=true`,
      { method: "POST", headers: ["Host", "proxy", ...own] },
      (response) => response.resume().once("end", resolve),
    )
      .once("error", reject)
      .end(body);
  });
  expect(seen[0]?.hash).toBe(sha256Hex(body));
  const passed = seen[0]?.raw.filter(
    (_, at, all) => !/^(host|connection|content-length)$/i.test(all[at - (at % 2)] ?? ""),
  );
  expect(passed).toEqual(headers);
});

it("streams each chunk immediately, and aborts the upstream call when the client disconnects", async () => {
  let hungUp: (() => void) | undefined;
  const isHungUp = new Promise<void>((resolve) => (hungUp = resolve));
  const address = await serverOf((_request, response) => {
    response.once("close", () => hungUp?.());
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: one\n\n");
  });
  const proxy = await proxyTo(address);
  const controller = new AbortController();
  const response = await fetch(`${proxy.url}/v1/messages`, {
    method: "POST",
    body: "{}",
    signal: controller.signal,
  });
  const piece = await response.body?.getReader().read();
  expect(new TextDecoder().decode(piece?.value)).toBe("data: one\n\n");
  controller.abort();
  await isHungUp;
  expect(proxy.stats()).toMatchObject({ clientsGone: 1, passed: { unknown_shape: 1 } });
});

it("cuts the answer off where the API does, and reports an unreachable API", async () => {
  const address = await serverOf((_request, response) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
    setImmediate(() => response.destroy());
  });
  const proxy = await proxyTo(address);
  const broken = fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}" }).then(
    (response) => response.text(),
  );
  await expect(broken).rejects.toThrow(/terminated|failed/);
  const nobody = await proxyTo("http://127.0.0.1:1");
  expect((await fetch(`${nobody.url}/v1/messages`, { method: "POST", body: "{}" })).status).toBe(
    502,
  );
});

it("requires its token if it has one, and refuses public addresses without one", async () => {
  const proxy = await proxyTo(upstream.baseUrl("openai"), { token: "open" });
  expect((await fetch(`${proxy.url}/stats`)).status).toBe(401);
  expect((await fetch(`${proxy.url}/stats`, { headers: { "x-ccl-token": "open" } })).status).toBe(
    200,
  );
  await expect(proxyTo("http://127.0.0.1:1", { host: "0.0.0.0" })).rejects.toMatchObject({
    code: "invalid_options",
  });
  await expect(proxyTo("not an address")).rejects.toMatchObject({ code: "invalid_options" });
  const taken = await proxyTo("http://127.0.0.1:1");
  const port = Number(new URL(taken.url).port);
  await expect(proxyTo("http://127.0.0.1:1", { port })).rejects.toMatchObject({
    code: "listen_failed",
  });
});

it("refuses other origins, foreign host names and absolute request URLs", async () => {
  let asked: string[] = [];
  const address = await serverOf((request, response) => {
    asked = request.rawHeaders;
    response.writeHead(200, { connection: "x-hop", "x-hop": "1", "x-kept": "1" }).end("{}");
  });
  const proxy = await proxyTo(address);
  const { port } = new URL(proxy.url);
  const ask = async (headers: Record<string, string>, path = "/v1/models") =>
    await new Promise<{ status: number | undefined; headers: object }>((resolve, reject) => {
      send({ port, path, headers, host: "127.0.0.1" }, (response) => {
        response
          .resume()
          .once("end", () => resolve({ status: response.statusCode, headers: response.headers }));
      })
        .on("error", reject)
        .end();
    });
  for (const headers of [
    { host: `evil.example:${port}` },
    { origin: "https://evil.example" },
    { origin: "null" },
  ])
    for (const path of ["/v1/models", "/stats", "/metrics", "/health"])
      expect((await ask(headers, path)).status).toBe(403);
  expect((await ask({}, "http://evil.example/v1/models")).status).toBe(400);
  expect(asked).toEqual([]);
  for (const headers of [
    {},
    { host: `localhost:${port}` },
    { host: `[::1]:${port}` },
    { origin: "http://localhost:3000" },
  ])
    expect((await ask(headers)).status).toBe(200);
  const { headers } = await ask({
    connection: "close, X-Secret-Hop",
    "x-secret-hop": "1",
    "x-own": "1",
  });
  expect(asked).toContain("x-own");
  expect(asked.join(" ").toLowerCase()).not.toContain("x-secret-hop");
  expect(headers).toMatchObject({ "x-kept": "1" });
  expect(headers).not.toHaveProperty("x-hop");
});

it.each([
  ["/v1beta/models/gemini-2.5-pro:streamGenerateContent", "other_api"],
  ["/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict", "other_api"],
  ["/model/anthropic.claude/invoke-with-response-stream", "other_api"],
  ["/model/anthropic.claude/converse", "other_api"],
  ["/v1/responses/compact", "other_api"],
  ["/v1/messages/count_tokens", "other_path"],
])("forwards %s unchanged, and counts it as %s", async (path, reason) => {
  const proxy = await proxyTo(await serverOf((request, response) => request.pipe(response)));
  const body = '{"n":1.0}';
  const answer = await fetch(`${proxy.url}${path}`, { method: "POST", body });
  expect(await answer.text()).toBe(body);
  expect(proxy.stats().passed).toEqual({ [reason]: 1 });
});
