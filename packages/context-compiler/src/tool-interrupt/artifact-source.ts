import type { ArtifactStore } from "@ccl/artifact-store";
import type { TokenCounter } from "@ccl/core";

import { findArtifact } from "../externalize/find-artifact.ts";
import type { Session } from "../session/session.ts";

/** Where the tools of a model read artifacts. */
export interface ArtifactSource {
  store: ArtifactStore;
  /** Only its artifacts can be read; those of the whole store where absent. */
  session?: Session | undefined;
  counter: TokenCounter;
}

/** What is known of an artifact before it is read. */
export interface FoundArtifact {
  artifactId: string;
  mimeType: string;
  sizeBytes: number;
}

/** Tokens of an answer where the model asks for no other number, and the most that it can ask for. */
export const defaultAnswerTokens = 400;
export const maxAnswerTokens = 4_000;

export const notFound =
  "no artifact of this conversation has that id; use an id as the conversation shows it, such as 0123456789ab";

/** Larger ones are searched and read by lines, as they are stored: their rows have no numbers. */
export const maxNumberedBytes = 8_000_000;

/** Handles of a store without a session that are looked through for the digits of an id. */
const maxHandles = 10_000;

/** The artifact that a model means; models copy the words around an id with it. */
export async function findSource(
  handle: string,
  { store, session }: ArtifactSource,
  signal: AbortSignal | undefined,
): Promise<FoundArtifact | undefined> {
  const digits = /[0-9a-f]{12,64}/.exec(handle.toLowerCase())?.[0] ?? "";
  if (session !== undefined) return findArtifact(session.eventLog, digits)?.data;
  if (digits.length === 64) return (await store.getHandles(digits, { signal }))[0];
  if (digits === "") return undefined;
  let cursor: string | undefined;
  for (let seen = 0; seen < maxHandles;) {
    const page = await store.listHandles({ cursor, signal });
    const found = page.handles.find(({ artifactId }) => artifactId.startsWith(digits));
    if (found !== undefined || page.cursor === undefined) return found;
    cursor = page.cursor;
    seen += page.handles.length;
  }
  return undefined;
}

/** What a model reads where an artifact can't be. */
export function refuseArtifact(handle: string, reason: string): string {
  return `[artifact ${JSON.stringify(handle.slice(0, 80))} can't be read: ${reason}]`;
}

const textTypes =
  /^(?:text\/|application\/(?:json|xml|yaml|javascript|x-ndjson|[\w.-]+\+(?:json|xml)))/;

/** True for media types whose bytes are text. */
export function isText(mimeType: string): boolean {
  return textTypes.test(mimeType.toLowerCase());
}
