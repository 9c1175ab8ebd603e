import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import type { SourceDraft } from "./source-draft.ts";
import { tokenHeaders } from "./token-headers.ts";

const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** The text behind a path from the project's root or an http address. */
export async function readDocument(
  session: Session,
  { source, address }: SourceDraft,
): Promise<string> {
  if (!/^https?:\/\//i.test(address)) {
    return await readFile(resolve(session.root, address), {
      encoding: "utf8",
      signal: session.signal,
    });
  }
  const signal = AbortSignal.any([session.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(address, { signal, headers: tokenHeaders(session, source) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new CliError("source_failed", `${source.location} answers ${response.status}.`);
  }
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > MAX_BYTES)
      throw new CliError("source_failed", `${source.location} gives more than ${MAX_BYTES} bytes.`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
