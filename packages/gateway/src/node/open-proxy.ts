import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

import type { ContextRecorder } from "@ccl/core/tracing";
import { sha256Hex } from "@ccl/core";
import { Agent } from "undici";

import type { Gateway, GatewayPlan } from "../gateway/create-gateway.ts";
import { sessionName } from "../gateway/session-key.ts";
import { GatewayError } from "../gateway-error.ts";
import {
  compressMessages,
  type CompressionService,
  retrieveContent,
  type ServiceAnswer,
} from "./compression-service.ts";
import { decodeBody } from "./content-decoder.ts";
import {
  countPass,
  countPlan,
  countReported,
  metricsText,
  newStats,
  type ProxyStats,
  type UnreadReason,
} from "./proxy-stats.ts";
import { type ProxiedRequest, recordRequest } from "./record-request.ts";
import { UsageWatch } from "./usage-watch.ts";

/** Options of `openProxy`. */
export interface ProxyOptions {
  gateway: Gateway;
  /** Address of the API, such as https://api.anthropic.com. Its path is prepended to each request's path. */
  upstream: string;
  /** 0 picks a free port. Default: 8788. */
  port?: number | undefined;
  /** Default: 127.0.0.1. Any other address requires a token. */
  host?: string | undefined;
  /** Answers `/v1/compress` and `/v1/retrieve/{hash}`. If absent, these requests are forwarded to the API. */
  service?: CompressionService | undefined;
  /**
   * The token that callers must send as `x-ccl-token`. It is not forwarded. The service also accepts it as a bearer
   * token.
   */
  token?: string | undefined;
  /** Receives each parsed request once it has finished. */
  record?: ContextRecorder | undefined;
}

/** A running proxy. */
export interface Proxy {
  /** The base URL to configure in a client. */
  url: string;
  stats(): ProxyStats;
  /** Stops accepting requests and waits up to ten seconds for open ones. */
  close(): Promise<void>;
}

/** Headers that apply to a single connection. */
const connectionHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  "te",
  "trailer",
]);
/** Headers that are not forwarded to the API. */
const ownHeaders = new Set([
  ...connectionHeaders,
  "host",
  "content-length",
  "expect",
  "x-ccl-token",
  "x-ccl-session",
]);
const decodedHeaders = new Set([...ownHeaders, "content-encoding"]);
const streamedHeaders = new Set(ownHeaders);
streamedHeaders.delete("content-length");
const servicePath = /^\/v1\/(compress$|retrieve\/)/;
const plannedPath = /\/(chat\/completions|responses|messages)$/;
/** Paths of Gemini, Vertex and Bedrock, and of the Responses API's compaction endpoint. */
const otherApiPath =
  /:\w*(generateContent|rawPredict|predict)$|\/(invoke|converse)[\w-]*$|\/compact$/i;
const loopback = new Set(["127.0.0.1", "::1", "localhost"]);
/** Larger bodies are forwarded unchanged. */
const maxBodyBytes = 32 * 2 ** 20;
/** Requests that arrive within this many milliseconds of each other form a burst. */
const burstMs = 50;
/** Number of bytes that identify an unnamed session. Shorter requests do not identify one. */
const beginBytes = 4_096;
const maxSessions = 2_000;
const closeWithinMs = 10_000;
const keepAliveMs = 300_000;

/**
 * Starts a proxy in front of a model API. Streams answers through byte by byte.
 * @throws GatewayError `invalid_options`, `listen_failed`
 */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const { port = 8788, host = "127.0.0.1", token } = options;
  if (!loopback.has(host) && (token === undefined || token === ""))
    throw new GatewayError(
      "invalid_options",
      `Listening on ${host} requires a token, since others could use your account.`,
    );
  const upstream = URL.canParse(options.upstream) ? new URL(options.upstream) : undefined;
  if (upstream === undefined || !/^https?:$/.test(upstream.protocol))
    throw new GatewayError("invalid_options", `"${options.upstream}" is not an HTTP address.`);
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, allowH2: false });
  const stats = newStats();
  const forwarder = new Forwarder({ ...options, agent, stats, base: upstream });
  const handling = new Set<Promise<unknown>>();
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    // Count every answered request before the closed proxy reports its statistics.
    const ended = Promise.all([once(response, "close"), forwarder.handle(request, response)]);
    handling.add(ended);
    void ended.finally(() => handling.delete(ended));
  });
  server.requestTimeout = 0;
  // Longer than clients keep idle connections open, so that they never use one that is closing.
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
      await Promise.all(handling);
      // Node considers a connection busy even before its first request.
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
  /** Requests that have not been sent yet, or were just sent and have no answer. */
  readonly #waiting = new Set<IncomingMessage>();
  /** Known sessions, by name or by the first bytes of their requests. */
  readonly #sessions = new Set<string>();

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { stats, token, service } = this.#parts;
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    if (!path.startsWith("/")) return answerError(response, 400, "Request a path of this proxy.");
    // A web page in a browser can reach this address too, from its own origin or by its own host name.
    const { host, origin } = request.headers;
    if (token === undefined && !(isOwnHost(host) && isLocal(origin)))
      return answerError(response, 403, "Only programs on this machine may connect.");
    if (path === "/health") return answer(response, 200, { status: "ok", service: "ccl" });
    const isOfService = service !== undefined && servicePath.test(path);
    const bearer = request.headers.authorization?.replace(/^Bearer /, "");
    const callerToken = request.headers["x-ccl-token"] ?? (isOfService ? bearer : undefined);
    if (token !== undefined && !isToken(callerToken, token))
      return answerError(response, 401, "x-ccl-token is missing or wrong.");
    if (path === "/stats") return answer(response, 200, stats);
    if (path === "/metrics") return void response.end(metricsText(stats));
    if (isOfService) return this.#serve(service, request, response);
    // The proxy cannot read WebSockets. On this status, clients fall back to HTTP.
    if (request.headers.upgrade !== undefined)
      return answerError(response, 426, "The proxy only supports HTTP.");
    stats.requests += 1;
    const startedAtMs = Date.now();
    let plan: GatewayPlan | undefined;
    let end: Pick<ProxiedRequest, "status" | "reported"> = {};
    const controller = new AbortController();
    response.once("close", () => {
      if (response.writableFinished) return;
      stats.clientsGone += 1;
      controller.abort();
    });
    try {
      const sent = await this.#bodyOf(request, path);
      plan = sent.plan;
      if (plan !== undefined) countPlan(stats, plan);
      end = await this.#forward(request, { ...sent, response, signal: controller.signal });
      if (plan !== undefined && end.status === 200) countReported(stats, plan, end.reported);
    } catch {
      if (controller.signal.aborted) return;
      stats.upstreamErrors += 1;
      if (response.headersSent) response.destroy();
      else answerError(response, 502, "The API behind the proxy did not answer.");
    } finally {
      this.#waiting.delete(request);
      const durationMs = Date.now() - startedAtMs;
      if (plan?.session !== undefined)
        this.#parts.record?.add(recordRequest({ plan, startedAtMs, durationMs, ...end }));
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
      const body = await readBody(request, maxBodyBytes);
      if (url.startsWith("/v1/retrieve/")) answered = await retrieveContent(service, url, headers);
      else if (body === undefined || method !== "POST")
        answered = { status: 400, body: { error: { message: "POST messages of up to 32 MB." } } };
      else answered = await compressMessages(service, body, headers);
    } catch {
      answered = { status: 500, body: { error: { message: "The store failed." } } };
    }
    answer(response, answered.status, answered.body);
  }

  /** Returns the body to send, or the request itself if it was not parsed. */
  async #bodyOf(request: IncomingMessage, path: string): Promise<SentBody> {
    const declared = Number(request.headers["content-length"]);
    const unread = unreadReason(request, path, declared);
    if (unread !== undefined) {
      countPass(this.#parts.stats, unread);
      return { body: request.method === "GET" || request.method === "HEAD" ? null : request };
    }
    this.#waiting.add(request);
    const sent = await this.#plannedBody(request, declared);
    setTimeout(() => this.#waiting.delete(request), burstMs).unref();
    return sent;
  }

  async #plannedBody(request: IncomingMessage, declared: number): Promise<SentBody> {
    const { gateway, stats } = this.#parts;
    const encoding = request.headers["content-encoding"];
    const isAlone = (): boolean => this.#waiting.size === 1;
    const busy = await this.#planOfFirst(request, declared);
    if (busy !== undefined && !isAlone()) return { body: request, plan: busy };
    const body = await readBody(request, declared);
    if (body === undefined) throw new Error("The body is longer than declared.");
    // Other requests may have arrived while the body was read.
    if (busy !== undefined && !isAlone()) return { body, plan: busy };
    const plain = await decodeBody(body, encoding, maxBodyBytes);
    if (typeof plain === "string") {
      countPass(stats, plain);
      return { body };
    }
    const plan = await gateway.plan(plain, request.headers, isAlone);
    if (plan.edits.length === 0) return { body, plan };
    return { body: gateway.apply(plain, plan), plan, isDecoded: encoding !== undefined };
  }

  /** Returns the plan for a session's first request while others wait. Returns undefined for later requests. */
  async #planOfFirst(request: IncomingMessage, declared: number): Promise<GatewayPlan | undefined> {
    if (declared < beginBytes || request.headers["content-encoding"] !== undefined)
      return undefined;
    const begin = await beginningOf(request);
    const name = String(sessionName(request.headers) ?? begin);
    if (this.#sessions.has(name)) return undefined;
    if (this.#sessions.size === maxSessions) this.#sessions.clear();
    this.#sessions.add(name);
    const model = /"model"\s*:\s*"([^"]+)"/.exec(begin)?.[1];
    return { edits: [], reason: "busy", model, directPrice: 0, price: 0 };
  }

  async #forward(
    request: IncomingMessage,
    {
      response,
      body,
      isDecoded = false,
      signal,
    }: SentBody & { response: ServerResponse; signal: AbortSignal },
  ): Promise<Pick<ProxiedRequest, "status" | "reported">> {
    const { agent, base } = this.#parts;
    const planned = isDecoded ? decodedHeaders : ownHeaders;
    const leftHeaders = body === request ? streamedHeaders : planned;
    const answered = await agent.request({
      origin: base.origin,
      path: base.pathname.replace(/\/$/, "") + (request.url ?? "/"),
      method: request.method ?? "GET",
      headers: forwardedHeaders(request.rawHeaders, leftHeaders),
      body,
      signal,
      responseHeaders: "raw",
    });
    const headers = forwardedHeaders(rawHeadersOf(answered.headers), connectionHeaders);
    response.writeHead(answered.statusCode, headers);
    response.flushHeaders();
    const encodings = valuesOf(headers, "content-encoding");
    const watch = new UsageWatch(encodings.length === 0 ? undefined : encodings.join(","));
    await pipeline(answered.body, watch, response);
    return { status: answered.statusCode, reported: await watch.reported() };
  }
}

interface SentBody {
  body: Uint8Array | IncomingMessage | null;
  plan?: GatewayPlan | undefined;
  /** True if the body is sent decoded, without its original encoding. */
  isDecoded?: boolean | undefined;
}

function unreadReason(
  { method }: IncomingMessage,
  path: string,
  declared: number,
): UnreadReason | undefined {
  if (method !== "POST") return "other_path";
  if (!plannedPath.test(path)) return otherApiPath.test(path) ? "other_api" : "other_path";
  if (Number.isNaN(declared)) return "unknown_length";
  return declared > maxBodyBytes ? "too_large" : undefined;
}

/** Reads the first part of a longer body, and puts it back. */
async function beginningOf(request: IncomingMessage): Promise<string> {
  for (;;) {
    const begin = request.read(beginBytes);
    if (begin !== null) {
      request.unshift(begin);
      return begin.toString("latin1");
    }
    await once(request, "readable");
  }
}

/** Reads a body. Returns undefined if it exceeds the limit. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
  }
  return length <= maxBytes ? Buffer.concat(pieces) : undefined;
}

/**
 * Returns the headers, keeping their order and spelling. Leaves out excluded headers and those listed in the
 * `connection` header.
 */
function forwardedHeaders(raw: readonly string[], excluded: ReadonlySet<string>): string[] {
  const connectionNames = new Set(
    valuesOf(raw, "connection").flatMap((value) => value.split(/\s*,\s*/)),
  );
  const headers: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = raw.slice(at, at + 2);
    const known = name.toLowerCase();
    if (!excluded.has(known) && !connectionNames.has(known)) headers.push(name, value);
  }
  return headers;
}

/** Returns a header's values in lower case. */
function valuesOf(raw: readonly string[], name: string): string[] {
  return raw
    .filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name)
    .map((value) => value.trim().toLowerCase());
}

/** Reads raw headers. undici returns names and values alternately. */
function rawHeadersOf(headers: unknown): string[] {
  return Array.isArray(headers)
    ? headers.map((header) => Buffer.from(header).toString("latin1"))
    : [];
}

/** Accepts host names without a dot. Public DNS has no such names, so a web page cannot point its own name here. */
function isOwnHost(host = "localhost"): boolean {
  return /^[\w-]+(:\d+)?$/.test(host) || isLocal(`http://${host}`);
}

function isLocal(address = "http://localhost"): boolean {
  const name = URL.canParse(address) ? new URL(address).hostname.replaceAll(/[[\]]/g, "") : "";
  return loopback.has(name) || name.endsWith(".localhost");
}

function isToken(value: string | string[] | undefined, token: string): boolean {
  const expected = Buffer.from(sha256Hex(token));
  return typeof value === "string" && timingSafeEqual(Buffer.from(sha256Hex(value)), expected);
}

function answerError(response: ServerResponse, status: number, message: string): void {
  answer(response, status, { error: { message } });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
