import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";
import {
  METHOD_NOT_FOUND,
  ProtocolError,
  type RequestMethod,
  type ResultTypeMap,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

import type { Upstream } from "./upstream.ts";

/** How long a client's request waits for a server that reports no progress. */
const timeoutMs = 10 * 60_000;
const unavailable = -32_000;

/** Says why a server is unavailable. */
export function unavailableText({ name, problem }: Upstream): string {
  return `The server ${name} is unavailable: ${problem}. It is being restarted. Try again later.`;
}

/**
 * Forwards a client's request to a server. Passes progress back. If the client cancels the request, cancels it at the
 * server.
 */
export async function forwardUp<Method extends RequestMethod>(
  upstream: Upstream,
  request: { method: Method; params?: Record<string, unknown> | undefined },
  { mcpReq }: ServerContext,
): Promise<ResultTypeMap[Method]> {
  const { client, name } = upstream;
  if (client === undefined) throw new ProtocolError(unavailable, unavailableText(upstream));
  const { progressToken, ...meta } = mcpReq._meta ?? {};
  const params = { ...request.params, _meta: meta };
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
      `The server ${name} exited during the call and is being restarted. Check whether the call took effect before you repeat it.`,
      { cause: error },
    );
  });
  // A result must not arrive before its progress, since the client would then ignore the progress.
  await Promise.all(sent);
  return result;
}

/** Requests that a server may send to a client, and the capability required for each. */
const questions = [
  ["sampling/createMessage", "sampling"],
  ["elicitation/create", "elicitation"],
  ["roots/list", "roots"],
] as const;

/** Forwards a server's requests to the client, if the client can answer them. */
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
        throw new ProtocolError(METHOD_NOT_FOUND, "No connected client can answer this request.");
      return server.request(
        { method, ...(params === undefined ? {} : { params }) },
        { signal: mcpReq.signal, timeout: timeoutMs, resetTimeoutOnProgress: true },
      );
    });
  }
}
