import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";

import { CclError, sha256Hex } from "@ccl/core";

import { failureOf, plainValue, readPage } from "./export-page.ts";
import { InspectorError } from "./inspector-error.ts";
import { readView } from "./read-view.ts";
import type { InspectorSource } from "./views.ts";

/** The source to serve, and the port. */
export interface InspectorOptions {
  source: InspectorSource;
  /** Port on 127.0.0.1. Defaults to 0, which picks a free port. */
  port?: number | undefined;
}

/** A running inspector. */
export interface Inspector {
  /** The page's address, for a browser on this machine. */
  readonly url: string;
  close(): Promise<void>;
}

const json = { "content-type": "application/json" };
const headers = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/**
 * Serves the page on this machine only. Read-only: rejects methods other than GET, other hosts, and
 * other origins.
 * @throws InspectorError `listen_failed`
 */
export async function openInspector({ source, port = 0 }: InspectorOptions): Promise<Inspector> {
  const host = "127.0.0.1";
  const server = createServer((request, response) => {
    respond(request, response, source).catch(() => response.destroy());
  });
  try {
    await once(server.listen(port, host), "listening");
  } catch (cause) {
    const message = `Can't listen on ${host}:${port}. Pass another port.`;
    throw new InspectorError("listen_failed", message, { cause });
  }
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host}:${bound}/`,
    close: async () => {
      const closed = once(server.close(), "close");
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  source: InspectorSource,
): Promise<void> {
  const refusal = refusalOf(request);
  if (refusal !== undefined) return send(response, refusal.status, refusal.message);
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname === "/")
    // The page itself sets a content security policy, so that an exported file is just as safe.
    return send(response, 200, await readPage(), {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "frame-ancestors 'none'",
    });
  const name = /^\/api\/([a-z]+)$/.exec(url.pathname)?.[1];
  if (name === undefined) return send(response, 404, "Not found.");
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    const parameters = Object.fromEntries(url.searchParams);
    const view = await readView(source, name, { parameters, signal: gone.signal });
    const body = JSON.stringify(view, plainValue);
    const etag = `"${sha256Hex(body)}"`;
    response.setHeader("etag", etag);
    if (request.headers["if-none-match"] === etag) send(response, 304);
    else send(response, 200, body, json);
  } catch (error) {
    if (gone.signal.aborted) return;
    const known = CclError.isInstance(error);
    const isMissing = InspectorError.isInstance(error) && error.code === "unknown_view";
    const status = isMissing ? 404 : known ? 422 : 500;
    send(response, status, JSON.stringify(failureOf(error)), json);
  }
}

function refusalOf({
  method,
  headers: given,
}: IncomingMessage): { status: number; message: string } | undefined {
  if (method !== "GET") return { status: 405, message: "This page is read-only: use GET." };
  const isOwn = (name: string): boolean => /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(name);
  const { host = "", origin } = given;
  if (!isOwn(host)) return { status: 403, message: "Open it as 127.0.0.1 or localhost." };
  const site = given["sec-fetch-site"];
  const isForeign = origin !== undefined && origin !== `http://${host}`;
  if (isForeign || (site !== undefined && site !== "same-origin" && site !== "none"))
    return { status: 403, message: "Other pages may not read this one." };
  return undefined;
}

function send(
  response: ServerResponse,
  status: number,
  body = "",
  other: OutgoingHttpHeaders = { "content-type": "text/plain; charset=utf-8" },
): void {
  response.writeHead(status, { ...headers, ...other });
  response.end(body);
}
