import { sha256Hex } from "@ccl/core";
import { isRecord, stringAt } from "@ccl/core/json";

import type { ReadRequest } from "../history/read-request.ts";

/** Headers by lower-case name; those of `node:http` fit. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const sessionHeaders = [
  "x-ccl-session",
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "x-session-id",
];
const credentialHeaders = ["authorization", "x-api-key", "api-key"];

/** A hash of the keys that a caller sent. */
export function tenantOf(headers: RequestHeaders): string {
  return sha256Hex(credentialHeaders.map((name) => headers[name] ?? "").join("\n"));
}

/** A session of a tenant: by the client's header or its cache key, else by how the history begins. */
export function sessionKey(body: unknown, { items }: ReadRequest, headers: RequestHeaders): string {
  const given = sessionHeaders.map((name) => headers[name]).find((one) => one !== undefined);
  const metadata = isRecord(body) ? body["metadata"] : undefined;
  const named = given ?? stringAt(body, "prompt_cache_key") ?? stringAt(metadata, "user_id");
  const begin = items.slice(0, items.findIndex(({ kind }) => kind === "user") + 1);
  const own = named ?? begin.map(({ kind, text }) => `${kind} ${text}`).join("\n");
  return sha256Hex(JSON.stringify([tenantOf(headers), own]));
}
