import { randomUUID } from "node:crypto";

import { parseJson } from "@ccl/core/json";
import {
  isInitializeRequest,
  type McpHttpHandler,
  readRequestBody,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

import type { McpServerFactory } from "../server/mcp-server-options.ts";

/** Session limit, since clients may disappear without closing. The session that was unused for longest is closed first. */
const maxSessions = 500;
const header = "mcp-session-id";

/**
 * Gives a session to each client of 2025-11-25 that begins with a handshake, so that the server can notify and ask it.
 * Requests without a session go to `handler`.
 */
export function createHttpSessions(
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
      const id = request.headers.get(header) ?? "";
      const known = sessions.get(id);
      if (known !== undefined) {
        sessions.delete(id);
        sessions.set(id, known);
        return known.handleRequest(request);
      }
      // After this status the protocol requires the client to start a new session.
      if (id !== "") return new Response("There is no such session.", { status: 404 });
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
