import { sha256Hex } from "@ccl/core";
import { isRecord, stringAt } from "@ccl/core/json";

import type { ReadRequest } from "../history/read-request.ts";

/** Headers, keyed by lower-case name. Accepts the headers of `node:http`. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const sessionHeaders = [
  "x-ccl-session",
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "x-session-id",
];
const accountHeaders = ["chatgpt-account-id", "openai-organization", "openai-project"];
const credentialHeaders = ["authorization", "x-api-key", "api-key"];

/** Returns a hash of the caller's credentials. */
export function tenantOf(headers: RequestHeaders): string {
  return sha256Hex(credentialHeaders.map((name) => headers[name] ?? "").join("\n"));
}

/** Returns the name that the client gave its session. */
export function sessionName(headers: RequestHeaders): string | readonly string[] | undefined {
  return sessionHeaders.map((name) => headers[name]).find((header) => header !== undefined);
}

/**
 * Returns a key for a session, from its account, its name and the start of its history. Ignores credentials, since
 * clients refresh them during a session. Decisions are stored by the hash of the whole history. So even if two users'
 * session keys are equal, they share no decisions unless they sent the same history.
 */
export function sessionKey(body: unknown, { items }: ReadRequest, headers: RequestHeaders): string {
  const headerName = sessionName(headers);
  const metadata = isRecord(body) ? body["metadata"] : undefined;
  const sessionId =
    headerName ?? stringAt(body, "prompt_cache_key") ?? stringAt(metadata, "user_id");
  const account = accountHeaders.map((name) => headers[name] ?? "");
  const begin = items.slice(0, items.findIndex(({ kind }) => kind === "user") + 1);
  // Tool servers come and go during a session, and system prompts contain the current date.
  const own = (sessionId === undefined ? begin : begin.slice(-1)).map(({ text }) => text);
  return sha256Hex(JSON.stringify([account, sessionId, own]));
}
