import type { ArtifactStore } from "@ccl/artifact-store";
import { searchContent } from "@ccl/compress";
import { estimatedCounter } from "@ccl/core";
import { arrayAt, parseJson } from "@ccl/core/json";

import type { Gateway } from "../gateway/create-gateway.ts";
import { type RequestHeaders, tenantOf } from "../gateway/session-key.ts";

/** The compression service that LiteLLM and Portkey call. Requires a gateway with `hash` hints. */
export interface CompressionService {
  gateway: Gateway;
  artifactStore: ArtifactStore;
}

/** A status and a JSON body. */
export interface ServiceAnswer {
  status: number;
  body: object;
}

/** Handles `POST /v1/compress`: shortens the messages of a request. */
export async function compressMessages(
  { gateway }: CompressionService,
  body: Uint8Array,
  headers: RequestHeaders,
): Promise<ServiceAnswer> {
  const plan = await gateway.plan(body, headers);
  if (plan.reason === "unknown_shape" || plan.reason === "not_utf8")
    return failure(400, "The body needs messages in the form of OpenAI's or Anthropic's API.");
  const [before, after] = [body, gateway.apply(body, plan)].map(messagesOf);
  const tokensBefore = tokensOf(before);
  const tokensAfter = tokensOf(after);
  return {
    status: 200,
    body: {
      messages: after,
      tokens_before: tokensBefore,
      tokens_after: tokensAfter,
      tokens_saved: tokensBefore - tokensAfter,
      compression_ratio: tokensBefore === 0 ? 1 : tokensAfter / tokensBefore,
    },
  };
}

/**
 * Handles `GET /v1/retrieve/{hash}?query=`: returns the text of a result that was shortened for the same caller, or
 * only what matches the query.
 */
export async function retrieveContent(
  { artifactStore }: CompressionService,
  url: string,
  headers: RequestHeaders,
): Promise<ServiceAnswer> {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const hash = pathname.split("/").at(-1) ?? "";
  if (!/^[0-9a-f]{24,64}$/.test(hash)) return failure(400, "A hash has 24 to 64 hex digits.");
  const { artifactId, damaged } = await findArtifact(artifactStore, hash, tenantOf(headers));
  const bytes = artifactId === undefined ? undefined : await artifactStore.retrieve(artifactId);
  if (bytes === undefined && damaged > 0)
    return failure(500, `Not found. Damaged handles in the store, maybe this one too: ${damaged}.`);
  if (bytes === undefined)
    return failure(404, "No content of this caller is stored under this hash.");
  const text = new TextDecoder().decode(bytes);
  const query = searchParams.get("query") ?? "";
  const content = query.trim() === "" ? text : searchContent(text, { query }).text;
  return { status: 200, body: { hash, original_content: content } };
}

function failure(status: number, message: string): ServiceAnswer {
  return { status, body: { error: { message } } };
}

function messagesOf(body: Uint8Array): unknown[] {
  const value = parseJson(new TextDecoder().decode(body));
  const messages = arrayAt(value, "messages");
  return messages.length > 0 ? messages : arrayAt(value, "input");
}

function tokensOf(messages: unknown): number {
  return estimatedCounter.count(JSON.stringify(messages));
}

async function findArtifact(
  store: ArtifactStore,
  hash: string,
  sessionId: string,
): Promise<{ artifactId?: string | undefined; damaged: number }> {
  let damaged = 0;
  let cursor: string | undefined;
  do {
    const page = await store.listHandles({ sessionId, limit: 1000, cursor });
    const found = page.handles.find(({ artifactId }) => artifactId.startsWith(hash));
    if (found !== undefined) return { artifactId: found.artifactId, damaged };
    damaged += page.damaged?.length ?? 0;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { damaged };
}
