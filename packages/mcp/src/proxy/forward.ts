import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";
import {
  ProtocolError,
  type RequestMethod,
  type ResultTypeMap,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

import type { Upstream } from "./upstream.ts";

/** A request of the client that waits for a server: the longest wait without any sign of progress. */
const timeoutMs = 10 * 60_000;
const methodNotFound = -32_601;
const unavailable = -32_000;

/** Sends a client's request on to a server; progress goes back, and a cancelled request is cancelled there. */
export async function forwardUp<Method extends RequestMethod>(
  upstream: Upstream,
  request: { method: Method; params?: Record<string, unknown> | undefined },
  { mcpReq }: ServerContext,
): Promise<ResultTypeMap[Method]> {
  const { client, name, problem } = upstream;
  if (client === undefined)
    throw new ProtocolError(
      unavailable,
      `The server ${name} is unavailable: ${problem}. It is started again; try later.`,
    );
  const { progressToken, ...meta } = mcpReq._meta ?? {};
  const params = { ...request.params, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) };
  const sent: Promise<void>[] = [];
  const answer = client.request(
    { method: request.method, params },
    {
      signal: mcpReq.signal,
      timeout: timeoutMs,
      resetTimeoutOnProgress: true,
      ...(progressToken === undefined
        ? {}
        : {
            onprogress: (progress) => {
              const notified = { ...progress, progressToken };
              const notify = mcpReq.notify({ method: "notifications/progress", params: notified });
              sent.push(notify.catch(() => undefined));
            },
          }),
    },
  );
  const result = await answer.catch((error: unknown) => {
    if (upstream.client === client || mcpReq.signal.aborted) throw error;
    throw new ProtocolError(
      unavailable,
      `The server ${name} ended while it was asked. It is started again; look whether the call did its work before you repeat it.`,
      { cause: error },
    );
  });
  // A result that overtakes its progress ends the client's interest in it.
  await Promise.all(sent);
  return result;
}

/** What servers may ask of a client, and the capability that it needs. */
const questions = [
  ["sampling/createMessage", "sampling"],
  ["elicitation/create", "elicitation"],
  ["roots/list", "roots"],
] as const;

/** Sends what a server asks on to the client, where that can answer. */
export function passQuestionsDown(
  client: Client,
  { capabilities, connected }: { capabilities: ClientCapabilities; connected: ReadonlySet<Server> },
): void {
  for (const [method, capability] of questions) {
    if (capabilities[capability] === undefined) continue;
    client.setRequestHandler(method, async ({ params }, { mcpReq }) => {
      const server = [...connected].findLast(
        (one) => one.getClientCapabilities()?.[capability] !== undefined,
      );
      if (server === undefined)
        throw new ProtocolError(methodNotFound, "There is no client that can be asked now.");
      return server.request(
        { method, ...(params === undefined ? {} : { params }) },
        { signal: mcpReq.signal, timeout: timeoutMs, resetTimeoutOnProgress: true },
      );
    });
  }
}
