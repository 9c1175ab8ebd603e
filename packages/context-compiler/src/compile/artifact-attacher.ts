import { ArtifactStoreError, type ArtifactStore } from "@ccl/artifact-store";
import { sha256Hex } from "@ccl/core";
import { mapConcurrent } from "@ccl/core/async";
import { externalizeContent } from "../externalize/externalize-content.ts";
import { renderArtifact } from "../externalize/render-artifact.ts";
import { createMessageMeter } from "../fit/message-meter.ts";
import { requireNumbers } from "../fit/require-that.ts";
import type { SessionEvent } from "../event/session-event.ts";
import { sessionMemory } from "../session/session-memory.ts";
import type { ContextProcessor, ProcessorInput } from "./context-processor.ts";
import { eventsIn, inTurn, isStored } from "./events-in.ts";
import type { ContextEntry } from "./working-context.ts";

/** Which results to store, and where. */
interface ArtifactAttacherOptions {
  /** The session's own store by default. If there is no store at all, nothing is attached. */
  artifactStore?: ArtifactStore | undefined;
  /**
   * Results with more tokens than this are stored. The session's `offloadAboveTokens` by default.
   */
  aboveTokens?: number | undefined;
}

/**
 * Stores large results that the log holds in full, such as those of a recorded transcript. Also
 * loads the text of results that the log only refers to. `historySelector` decides how much of them
 * to show, given the available room. If the store can't return a text, shows its handle and
 * summary.
 */
export function artifactAttacher(options: ArtifactAttacherOptions = {}): ContextProcessor {
  requireNumbers("artifactAttacher", options, "aboveTokens");
  // Caches the outcome for each entry, so that each entry is checked only once.
  const memoryOf = sessionMemory(() => ({ attached: new Map<ContextEntry, ContextEntry>() }));
  return {
    name: "artifactAttacher",
    async process(input) {
      const { session, context, counter, signal } = input;
      const store = options.artifactStore ?? session.artifactStore;
      if (store === undefined) return context;
      const aboveTokens = options.aboveTokens ?? session.offloadAboveTokens ?? 1_000;
      const meter = createMessageMeter(counter);
      const isLarge = ({ message }: ContextEntry): boolean =>
        message.role === "tool" &&
        typeof message.content === "string" &&
        meter.of(message) > aboveTokens;
      const remarks: string[] = [];
      const memory = memoryOf(session);
      const known = context.entries.map((entry) => [entry, memory.attached.get(entry)] as const);
      const attached = new Map(known.flatMap(([entry, one]) => (one ? [[entry, one]] : [])));
      memory.attached = attached;
      const unseen = context.entries.filter((entry) => !attached.has(entry));
      const eventsOf = eventsIn(session);
      await mapConcurrent(unseen, 8, async (entry) => {
        const handle = handleOf(entry, eventsOf(entry.eventIds));
        if (handle === undefined) return;
        const content = await readText(handle, store, signal);
        if (content !== undefined)
          attached.set(entry, { ...entry, message: { ...entry.message, content } });
        else
          remarks.push(
            `the artifact ${handle.artifactId.slice(0, 12)} can't be read: its summary is shown`,
          );
      });
      for (const entry of unseen.filter(isLarge)) {
        const answer = answerOf(entry, eventsOf(entry.eventIds));
        if (answer === undefined) continue;
        const found = await inTurn(
          session,
          () => findOrStore(answer, { input, store, aboveTokens }),
          signal,
        );
        if (typeof found !== "string") attached.set(entry, attach(entry, found));
        else
          remarks.push(`the answer to ${answer.callId} stays in full: the store failed (${found})`);
      }
      const entries = context.entries.map((entry) => attached.get(entry) ?? entry);
      const isChanged = entries.some((entry, at) => entry !== context.entries[at]);
      return isChanged || remarks.length > 0 ? context.with({ entries }, { remarks }) : context;
    },
  };
}

/**
 * Larger artifacts are left to the model to search, because shortening them at each cut would take
 * too long.
 */
const largestBytes = 8_000_000;

/**
 * Returns the artifact that an entry shows in place of its text. Undefined for other entries, and
 * for artifacts without text.
 */
function handleOf(
  { message }: ContextEntry,
  events: readonly SessionEvent[],
): SessionEvent<"artifact_stored">["data"] | undefined {
  if (message.role !== "tool" || typeof message.content !== "string") return undefined;
  const { content } = message;
  const held = events
    .filter(isStored)
    .map(({ data }) => data)
    .find((data) => content === renderArtifact({ type: "artifact", ...data }));
  const isText = textTypes.test(held?.mimeType ?? "");
  return held !== undefined && isText && held.sizeBytes <= largestBytes ? held : undefined;
}

const textTypes =
  /^text\/|^application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|javascript|csv)\b|^image\/svg\+xml/;

async function readText(
  { artifactId }: SessionEvent<"artifact_stored">["data"],
  store: ArtifactStore,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const bytes = await store.retrieve(artifactId, { signal });
    return bytes === undefined
      ? undefined
      : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

function attach(
  { message, eventIds }: ContextEntry,
  { eventId }: SessionEvent<"artifact_stored">,
): ContextEntry {
  return { message, eventIds: [...eventIds.slice(0, -1), eventId, ...eventIds.slice(-1)] };
}

const artifactTools = new Set(["read_artifact", "search_artifact"]);

interface Answer {
  callId: string;
  content: string;
  source: string;
}

/**
 * Returns the result that an entry holds in full. Undefined for a handle, or for a piece of an
 * artifact, which must not be stored again.
 */
function answerOf({ message }: ContextEntry, events: readonly SessionEvent[]): Answer | undefined {
  const { toolCallId: callId, content } = message;
  const calls = events.flatMap(({ kind, data }) => (kind === "tool_call" ? data.name : []));
  const isKept =
    calls.some((name) => artifactTools.has(name)) ||
    events.some(
      (event) =>
        isStored(event) || (event.kind === "tool_success" && event.data.isArtifactRead === true),
    );
  if (isKept || callId === undefined || typeof content !== "string") return undefined;
  const [tool] = calls;
  const source = message.source ?? (tool === undefined ? "tool" : `tool:${tool}`);
  return { callId, content, source };
}

interface StoreContext {
  input: ProcessorInput;
  store: ArtifactStore;
  aboveTokens: number;
}

/**
 * Finds the event that recorded the result's artifact. If there is none, stores the result and
 * records one. Returns the store's error code on failure.
 */
async function findOrStore(
  answer: Answer,
  { input, store, aboveTokens }: StoreContext,
): Promise<SessionEvent<"artifact_stored"> | string> {
  const { session, counter, signal } = input;
  const { callId, content, source } = answer;
  try {
    const known = await findStored(answer, { input, store, aboveTokens });
    if (known !== undefined) return known;
    const { artifacts, failure = "unknown" } = await externalizeContent(content, {
      store,
      aboveTokens: 0,
      counter,
      sessionId: session.sessionId,
      source,
      signal,
    });
    const [artifact] = artifacts;
    if (artifact === undefined) return failure;
    const { type: _, ...data } = artifact;
    return await session.record("artifact_stored", { ...data, source, callId }, { signal });
  } catch (error) {
    if (signal?.aborted === true || !ArtifactStoreError.isInstance(error)) throw error;
    return error.code;
  }
}

/** Finds the artifact by its content, since call ids may repeat. */
async function findStored(
  { callId, content }: Answer,
  { input, store }: StoreContext,
): Promise<SessionEvent<"artifact_stored"> | undefined> {
  const stored = input.session.eventLog.filter(["artifact_stored"]);
  const candidates = stored.filter(({ data }) => data.callId === callId);
  if (candidates.length === 0) return undefined;
  const bytes = new TextEncoder().encode(content);
  const artifactId = sha256Hex(bytes);
  const sameId = candidates.find(({ data }) => data.artifactId === artifactId);
  if (sameId !== undefined) return sameId;
  // In an encrypted store, ids are not hashes of the content.
  for (const candidate of candidates.filter(({ data }) => data.sizeBytes === bytes.length)) {
    const held = await store.retrieve(candidate.data.artifactId, {
      signal: input.signal,
    });
    if (held !== undefined && sha256Hex(held) === artifactId) return candidate;
  }
  return undefined;
}
