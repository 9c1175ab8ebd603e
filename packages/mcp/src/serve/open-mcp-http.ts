import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { sha256Hex } from "@ccl/core";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
  type ServerEventBus,
} from "@modelcontextprotocol/server";

import { McpError } from "../mcp-error.ts";
import type { McpServerFactory } from "../server/mcp-server-options.ts";
import { createHttpSessions } from "./http-sessions.ts";

/** Where a server listens, and which requests it accepts. */
export interface McpHttpOptions {
  /** `127.0.0.1` by default. Any address that is not a loopback address requires a token. */
  host?: string | undefined;
  /** 0 by default, for a free port. */
  port?: number | undefined;
  /** Each request must have it as `Authorization: Bearer <token>`. 16 characters or more. */
  token?: string | undefined;
  /** Changes for subscribers of protocol 2026-07-28, such as those of a proxy. */
  bus?: ServerEventBus | undefined;
}

/** A listening server. */
export interface McpHttp {
  /** With port and path. */
  readonly url: string;
  close(): Promise<void>;
}

const path = "/mcp";
const loopback = new Set(["127.0.0.1", "::1", "localhost"]);
const minTokenLength = 16;

/**
 * Serves streamable HTTP at `/mcp`. A client of 2025-11-25 that begins with a handshake gets a session, in which the
 * server can notify and ask it. A session that this process does not know gets 404. Requests with a foreign `Host` or
 * `Origin` get 403, so that no web page can reach the server.
 * @throws McpError `invalid_options` if a required token is missing, `listen_failed`
 */
export async function openMcpHttp(
  factory: McpServerFactory,
  { host = "127.0.0.1", port = 0, token, bus }: McpHttpOptions = {},
): Promise<McpHttp> {
  if (token === undefined && !loopback.has(host))
    throw new McpError("invalid_options", `${host} can be reached from elsewhere: set a token.`);
  if (token !== undefined && token.length < minTokenLength)
    throw new McpError("invalid_options", `A token has ${minTokenLength} characters at least.`);
  const handler = createHttpSessions(
    factory,
    createMcpHandler(factory, bus === undefined ? {} : { bus }),
  );
  const names = [...localhostAllowedHostnames(), host];
  const answer = async (request: Request): Promise<Response> => {
    const refused =
      hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, names);
    if (refused !== undefined) return refused;
    if (token !== undefined && !isBearer(request, token))
      return new Response("A bearer token is needed.", {
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
      reject(new McpError("listen_failed", `${host}:${port} can't be bound.`, { cause })),
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
    else await pipeline(streamOf(response.body), outgoing);
  } catch {
    // The client disconnected, or its request can't be read.
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(400).end();
  }
}

async function* streamOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", headers: given, url = "/" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, "http://localhost"), {
    method,
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(incoming), duplex: "half" } : {}),
  });
}
