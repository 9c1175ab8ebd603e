import type { ArtifactStore, HandlePage } from "@ccl/artifact-store";
import type { TokenCounter } from "@ccl/core";

import { findArtifact } from "../externalize/find-artifact.ts";
import type { Session } from "../session/session.ts";

/** Where a model's tools read artifacts from. */
export interface ArtifactSource {
  store: ArtifactStore;
  /** Limits reads to this session's artifacts. By default, all artifacts in the store can be read. */
  session?: Session | undefined;
  counter: TokenCounter;
}

/** Properties of an artifact that are known before it is read. */
export interface FoundArtifact {
  artifactId: string;
  mimeType: string;
  sizeBytes: number;
}

/** Default and maximum number of tokens in an answer. */
export const defaultAnswerTokens = 400;
export const maxAnswerTokens = 4_000;

export const notFound =
  "no artifact of this conversation has that id; use an id as the conversation shows it, such as 0123456789ab";

/** Larger artifacts are searched and read by line in their stored form, because their rows have no numbers. */
export const maxNumberedBytes = 8_000_000;

/** Maximum number of handles to search in a store without a session. */
const maxHandles = 10_000;

/**
 * Finds the artifact that a model refers to. Models may copy an id along with the words around it.
 * @throws ArtifactStoreError `damaged` if the store's handles are damaged
 */
export async function findSource(
  handle: string,
  { store, session }: Pick<ArtifactSource, "store" | "session">,
  signal: AbortSignal | undefined,
): Promise<FoundArtifact | undefined> {
  const digits = /[0-9a-f]{12,64}/.exec(handle.toLowerCase())?.[0] ?? "";
  if (session !== undefined) return findArtifact(session.eventLog, digits)?.data;
  if (digits.length === 64) return (await store.getHandles(digits, { signal }))[0];
  if (digits === "") return undefined;
  for await (const { handles, damaged = [] } of storedPages(store, signal)) {
    const key = [...handles, ...damaged].find((candidate) =>
      candidate.artifactId.startsWith(digits),
    );
    if (key !== undefined) return findSource(key.artifactId, { store }, signal);
  }
  return undefined;
}

/** Lists the handles of an entire store, oldest first. */
export async function* storedPages(
  store: ArtifactStore,
  signal: AbortSignal | undefined,
): AsyncGenerator<HandlePage> {
  let cursor: string | undefined;
  for (let seen = 0; seen < maxHandles;) {
    const page = await store.listHandles({ cursor, signal });
    yield page;
    if (page.cursor === undefined) return;
    cursor = page.cursor;
    seen += page.handles.length;
  }
}

/** Returns the answer to a model when an artifact can't be read. */
export function refuseArtifact(handle: string, reason: string): string {
  return `[artifact ${JSON.stringify(handle.slice(0, 80))} can't be read: ${reason}]`;
}

const textTypes =
  /^(?:text\/|application\/(?:json|xml|yaml|javascript|x-ndjson|[\w.-]+\+(?:json|xml)))/;

/** True for media types whose data is text. */
export function isText(mimeType: string): boolean {
  return textTypes.test(mimeType.toLowerCase());
}
