import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Transform } from "node:stream";

import { sha256Hex } from "@ccl/core";
import { Agent, type Dispatcher } from "undici";

import type { Gateway, GatewayPlan } from "../gateway/create-gateway.ts";
import { GatewayError } from "../gateway-error.ts";
import {
  compressMessages,
  type CompressionService,
  retrieveContent,
  type ServiceAnswer,
} from "./compression-service.ts";
import {
  countPass,
  countPlan,
  countReported,
  createUsageReader,
  metricsText,
  newStats,
  type ProxyStats,
} from "./proxy-stats.ts";

/** Options of `openProxy`. */
export interface ProxyOptions {
  gateway: Gateway;
  /** Address of the API, such as https://api.anthropic.com; a path in it stands before that of each request. */
  upstream: string;
  /** 0 takes a free one. Default: 8788. */
  port?: number | undefined;
  /** Default: 127.0.0.1. Any other address needs a token. */
  host?: string | undefined;
  /** Answers `/v1/compress` and `/v1/retrieve/{hash}`, which go to the API without it. */
  service?: CompressionService | undefined;
  /** What callers have to send as `x-ccl-token`, which is not passed on; callers of the service also as a bearer token. */
  token?: string | undefined;
  /** Larger bodies are passed on as they come. Default: 32 MB. */
  maxBodyBytes?: number | undefined;
  /** Called once for each request that was looked into, when it is over. Must not throw. */
  onRequest?: ((request: ProxiedRequest) => void) | undefined;
}

/** A request that has been answered, or never will be. */
export interface ProxiedRequest {
  plan: GatewayPlan;
  /** Milliseconds since the epoch. */
  startedAtMs: number;
  durationMs: number;
  /** Of the API's answer; absent where none came. */
  status?: number | undefined;
  /** Input tokens as the provider reported them; zeros where it said nothing. */
  reported: ProxyStats["reported"];
}

/** A running proxy. */
export interface Proxy {
  /** To be the base URL of a client. */
  url: string;
  stats(): ProxyStats;
  /** Takes no more requests and waits for those that are open, up to ten seconds. */
  close(): Promise<void>;
}

/** Headers that belong to one connection, and those of the proxy itself. */
const ownHeaders = new Set([
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "content-length",
  "expect",
  "upgrade",
  "te",
  "trailer",
  "x-ccl-token",
  "x-ccl-session",
]);
const servicePath = /^\/v1\/(compress$|retrieve\/)/;
const plannedPath = /\/(chat\/completions|responses|messages)$/;
const loopback = new Set(["127.0.0.1", "::1", "localhost"]);
const closeWithinMs = 10_000;
const keepAliveMs = 300_000;

/**
 * Starts a proxy in front of a model API. Answers stream through byte by byte.
 * @throws GatewayError `invalid_options`, `listen_failed`
 */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const { port = 8788, host = "127.0.0.1", token } = options;
  if (!loopback.has(host) && (token === undefined || token === ""))
    throw new GatewayError(
      "invalid_options",
      `Listening on ${host} needs a token, since others could use your key's account.`,
    );
  const upstream = URL.canParse(options.upstream) ? new URL(options.upstream) : undefined;
  if (upstream === undefined || !/^https?:$/.test(upstream.protocol))
    throw new GatewayError(
      "invalid_options",
      `"${options.upstream}" is no http address of an API.`,
    );
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, allowH2: false });
  const stats = newStats();
  const forwarder = new Forwarder({ ...options, agent, stats, base: upstream });
  const answering = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    answering.add(response);
    response.once("close", () => answering.delete(response));
    response.on("error", () => undefined);
    void forwarder.handle(request, response);
  });
  server.requestTimeout = 0;
  // Longer than clients keep an idle connection, so that none sends into one that is being closed.
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new GatewayError("listen_failed", `Can't listen on ${host}:${port}.`, { cause })),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    stats: () => structuredClone(stats),
    close: async () => {
      const ended = new Promise((resolve) => server.close(resolve));
      const late = setTimeout(() => server.closeAllConnections(), closeWithinMs);
      await Promise.all([...answering].map((response) => once(response, "close")));
      // Node takes a connection on which nothing was asked yet for a busy one.
      server.closeAllConnections();
      await ended;
      clearTimeout(late);
      await agent.destroy();
    },
  };
}

interface ForwarderParts extends ProxyOptions {
  agent: Agent;
  stats: ProxyStats;
  base: URL;
}

class Forwarder {
  readonly #parts: ForwarderParts;

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { stats, token, service } = this.#parts;
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    if (path === "/health") return answer(response, 200, { status: "ok", service: "ccl" });
    const isOfService = service !== undefined && servicePath.test(path);
    const bearer = request.headers.authorization?.replace(/^Bearer /, "");
    const given = request.headers["x-ccl-token"] ?? (isOfService ? bearer : undefined);
    if (token !== undefined && !isToken(given, token))
      return answer(response, 401, { error: { message: "x-ccl-token is missing or wrong." } });
    if (path === "/stats") return answer(response, 200, stats);
    if (path === "/metrics") return void response.end(metricsText(stats));
    if (isOfService) return this.#serve(service, request, response);
    // A WebSocket would hide what it carries; clients that read this take HTTP instead.
    if (request.headers.upgrade !== undefined)
      return answer(response, 426, { error: { message: "The proxy speaks HTTP alone." } });
    stats.requests += 1;
    const startedAtMs = Date.now();
    let [plan, end]: [GatewayPlan | undefined, Pick<ProxiedRequest, "status" | "reported">] = [
      undefined,
      { reported: newStats().reported },
    ];
    const controller = new AbortController();
    response.once("close", () => {
      if (response.writableFinished) return;
      stats.clientsGone += 1;
      controller.abort();
    });
    try {
      const planned = await this.#bodyOf(request, path);
      plan = planned.plan;
      const { body } = planned;
      end = await this.#forward(request, { response, body, signal: controller.signal });
      countReported(stats, plan, end.reported);
    } catch {
      if (controller.signal.aborted) return;
      stats.upstreamErrors += 1;
      if (response.headersSent) response.destroy();
      else
        answer(response, 502, {
          error: {
            type: "upstream_unreachable",
            message: "The API behind the proxy did not answer.",
          },
        });
    } finally {
      const durationMs = Date.now() - startedAtMs;
      if (plan !== undefined) this.#parts.onRequest?.({ plan, startedAtMs, durationMs, ...end });
    }
  }

  async #serve(
    service: CompressionService,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { url = "/", method, headers } = request;
    let answered: ServiceAnswer;
    try {
      const body = await readBody(request, this.#maxBodyBytes);
      if (url.startsWith("/v1/retrieve/")) answered = await retrieveContent(service, url, headers);
      else if (body === undefined || method !== "POST")
        answered = { status: 400, body: { error: { message: "POST messages of up to 32 MB." } } };
      else answered = await compressMessages(service, body, headers);
    } catch {
      answered = { status: 500, body: { error: { message: "The store failed." } } };
    }
    answer(response, answered.status, answered.body);
  }

  get #maxBodyBytes(): number {
    return this.#parts.maxBodyBytes ?? 32 * 2 ** 20;
  }

  /** The body as it goes out; the request itself where it is not looked into. */
  async #bodyOf(
    request: IncomingMessage,
    path: string,
  ): Promise<{ body: Uint8Array | IncomingMessage | null; plan?: GatewayPlan | undefined }> {
    const { gateway, stats } = this.#parts;
    if (
      request.method !== "POST" ||
      !plannedPath.test(path) ||
      request.headers["content-encoding"] !== undefined
    ) {
      countPass(stats, "other_path");
      return { body: request.method === "GET" || request.method === "HEAD" ? null : request };
    }
    const declared = Number(request.headers["content-length"] ?? Number.NaN);
    if (!(declared <= this.#maxBodyBytes)) {
      countPass(stats, "too_large");
      return { body: request };
    }
    const body = await readBody(request, declared);
    if (body === undefined) throw new Error("More came than was declared.");
    const plan = await gateway.plan(body, request.headers);
    countPlan(stats, plan);
    return { body: gateway.apply(body, plan), plan };
  }

  async #forward(
    request: IncomingMessage,
    {
      response,
      body,
      signal,
    }: { response: ServerResponse; body: Uint8Array | IncomingMessage | null; signal: AbortSignal },
  ): Promise<Pick<ProxiedRequest, "status" | "reported">> {
    const { agent, base } = this.#parts;
    const answered = await agent.request({
      origin: base.origin,
      path: base.pathname.replace(/\/$/, "") + (request.url ?? "/"),
      method: methodOf(request.method),
      headers: passedOn(request.rawHeaders),
      body,
      signal,
      responseHeaders: "raw",
    });
    response.writeHead(answered.statusCode, rawHeadersOf(answered.headers));
    response.flushHeaders();
    const usage = createUsageReader();
    const watch = new Transform({
      transform(piece: Uint8Array, _encoding, done) {
        usage.read(piece);
        done(null, piece);
      },
    });
    await pipeline(answered.body, watch, response);
    return { status: answered.statusCode, reported: usage.total() };
  }
}

/** Undefined where it is longer. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
  }
  return length <= maxBytes ? Buffer.concat(pieces) : undefined;
}

const methods: readonly Dispatcher.HttpMethod[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "PATCH",
];

function methodOf(method: string | undefined): Dispatcher.HttpMethod {
  const found = methods.find((one) => one === method);
  if (found === undefined) throw new Error("An unknown method.");
  return found;
}

/** The client's headers in their order and spelling. */
function passedOn(raw: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2);
    if (!ownHeaders.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

/** undici gives names and values in turn when it is asked for raw headers. */
function rawHeadersOf(headers: unknown): string[] {
  const raw = Array.isArray(headers)
    ? headers.map((one) => Buffer.from(one).toString("latin1"))
    : [];
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? "";
    if (!/^(connection|keep-alive|transfer-encoding)$/i.test(name))
      kept.push(name, raw[at + 1] ?? "");
  }
  return kept;
}

function isToken(given: string | string[] | undefined, token: string): boolean {
  const own = Buffer.from(sha256Hex(token));
  return typeof given === "string" && timingSafeEqual(Buffer.from(sha256Hex(given)), own);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
