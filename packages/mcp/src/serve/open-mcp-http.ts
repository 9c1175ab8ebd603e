import { randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { sha256Hex } from "@ccl/core";
import { parseJson, withoutUndefined } from "@ccl/core/json";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isInitializeRequest,
  localhostAllowedHostnames,
  type McpHttpHandler,
  originValidationResponse,
  readRequestBody,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

import { McpError } from "../mcp-error.ts";
import type { McpServerFactory } from "../server/mcp-server-options.ts";

/** Options of `openMcpHttp`. */
export interface McpHttpOptions {
  /** `127.0.0.1` by default. Any address other than loopback requires a token. */
  host?: string | undefined;
  /** 0 by default, which selects a free port. */
  port?: number | undefined;
  /** Each request must send it as `Authorization: Bearer <token>`. 16 or more characters. */
  token?: string | undefined;
  /** Publishes changes to subscribers of protocol 2026-07-28, such as changes of a proxy. */
  bus?: ServerEventBus | undefined;
}

/** A listening server. */
export interface McpHttp {
  /** URL with port and path. */
  readonly url: string;
  close(): Promise<void>;
}

const path = "/mcp";
const loopback = new Set(["127.0.0.1", "::1", "localhost"]);
const minTokenLength = 16;

/**
 * Serves streamable HTTP at `/mcp`. A 2025-11-25 client that starts with a handshake gets a session, in which the
 * server can notify it and send it requests. Requests with an unknown session get 404. Requests with a foreign `Host`
 * or `Origin` get 403, so that no web page can reach the server.
 * @throws McpError `invalid_options` if a required token is missing, `listen_failed`
 */
export async function openMcpHttp(
  factory: McpServerFactory,
  { host = "127.0.0.1", port = 0, token, bus }: McpHttpOptions = {},
): Promise<McpHttp> {
  if (token === undefined && !loopback.has(host))
    throw new McpError(
      "invalid_options",
      `${host} can be reached from other machines, so it requires a token.`,
    );
  if (token !== undefined && token.length < minTokenLength)
    throw new McpError("invalid_options", `A token needs ${minTokenLength} or more characters.`);
  const handler = createHttpSessions(factory, createMcpHandler(factory, withoutUndefined({ bus })));
  const names = [...localhostAllowedHostnames(), host];
  const answer = async (request: Request): Promise<Response> => {
    const refused =
      hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, names);
    if (refused !== undefined) return refused;
    if (token !== undefined && !isBearer(request, token))
      return new Response("A bearer token is required.", {
        status: 401,
        headers: { "www-authenticate": "Bearer" },
      });
    if (new URL(request.url).pathname !== path) return new Response("Not found", { status: 404 });
    return handler.fetch(request);
  };
  const server = createServer((incoming, outgoing) => {
    void respond(incoming, outgoing, answer);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new McpError("listen_failed", `Can't listen on ${host}:${port}.`, { cause })),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}${path}`,
    async close() {
      await handler.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Compares digests, so that timing reveals nothing about the token. */
function isBearer(request: Request, token: string): boolean {
  const given = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  return timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(token)));
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  try {
    const response = await answer(requestOf(incoming, gone.signal));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (response.body === null) outgoing.end();
    else await pipeline(response.body, outgoing);
  } catch {
    // The client disconnected, or its request can't be read.
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(400).end();
  }
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", headersDistinct, url = "/" } = incoming;
  const headers = Object.entries(headersDistinct).map(([name, values = []]): [string, string] => [
    name,
    values.join(", "),
  ]);
  const hasBody = method !== "GET" && method !== "HEAD";
  // Nothing is read ahead. If a request is refused unread, Node discards its body, and the connection stays usable.
  const strategy = { highWaterMark: 0 };
  return new Request(new URL(url, "http://localhost"), {
    method,
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(incoming, { strategy }), duplex: "half" } : {}),
  });
}

/**
 * Maximum number of sessions, since clients may disappear without closing theirs. The session that has been idle
 * longest is closed first.
 */
const maxSessions = 500;

/**
 * Creates a session for each 2025-11-25 client that starts with a handshake, so that the server can notify it and send
 * it requests. Passes requests without a session to `handler`.
 */
function createHttpSessions(
  factory: McpServerFactory,
  handler: McpHttpHandler,
): { fetch(request: Request): Promise<Response>; close(): Promise<void> } {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async (request: Request, parsedBody: unknown): Promise<Response> => {
    const transport: WebStandardStreamableHTTPServerTransport =
      new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => {
          const [oldest] = sessions.size < maxSessions ? [] : sessions.values();
          void oldest?.close();
          sessions.set(id, transport);
        },
      });
    const server = factory({ era: "legacy", requestInfo: request });
    await server.connect(transport);
    const { onclose } = transport;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other hook
    transport.onclose = () => {
      sessions.delete(transport.sessionId ?? "");
      onclose?.();
    };
    return transport.handleRequest(request, { parsedBody });
  };
  return {
    async fetch(request) {
      const id = request.headers.get("mcp-session-id") ?? "";
      const known = sessions.get(id);
      if (known !== undefined) {
        sessions.delete(id);
        sessions.set(id, known);
        return known.handleRequest(request);
      }
      // The protocol requires the client to start a new session after this status.
      if (id !== "") return new Response("Unknown session.", { status: 404 });
      if (request.method !== "POST") return handler.fetch(request);
      const body = await readRequestBody(request);
      if (body.tooLarge) return new Response("The request is too large.", { status: 413 });
      const parsedBody = parseJson(body.text);
      return isInitializeRequest(parsedBody)
        ? open(request, parsedBody)
        : handler.fetch(new Request(request, { method: "POST", body: body.text }));
    },
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.close()));
      await handler.close();
    },
  };
}
