import { type Embedder, estimatedCounter, type TokenCounter, truncateMiddle } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";
import { createSearchIndex, fuseHits, type SearchDocument } from "@ccl/search";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { textOf } from "../fit/message-texts.ts";
import { requireIfGiven, requireObject, requireThat, shown } from "../fit/require-that.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { eventMessage } from "../session/event-message.ts";
import type { SessionEvent } from "../event/session-event.ts";
import type { Session } from "../session/session.ts";
import type { MemoryHit, MemoryService } from "./memory-service.ts";

/** Which sessions to search, and how. */
interface SessionMemoryOptions {
  /** The current session. Leaves out hits that its prompt already shows. */
  session?: Session | undefined;
  /** Other sessions to search: all sessions in the store, or those in `scope`. */
  store?: SessionStore | undefined;
  /**
   * Limits the search to some sessions in the store, by a list of ids or a test on the id. All
   * sessions by default.
   */
  scope?: readonly string[] | ((sessionId: string) => boolean) | undefined;
  /** Used to rank by meaning as well as by words. Each turn is embedded once. */
  embedder?: Embedder | undefined;
  /** Token counter for `maxHitTokens`. Core's estimate by default. */
  counter?: TokenCounter | undefined;
}

/** Longer turns are cut in the middle. */
const maxHitTokens = 400;

interface Turn {
  hit: MemoryHit;
  text: string;
}

/**
 * Creates a memory of what people and models said. Searches by words, and also by vectors if there
 * is an embedder. Each search first reads new events, and returns turns verbatim with their session
 * and event. Writes nothing.
 * @throws ContextCompilerError `invalid_options`
 */
export function createSessionMemory(options: SessionMemoryOptions): MemoryService {
  requireMemoryOptions(options);
  const { session, store, embedder, counter = estimatedCounter } = options;
  const index = createSearchIndex({ fields: { text: 1 } });
  const turns = new Map<string, Turn>();
  /** Number of events read so far from each session. */
  const read = new Map<string, number>();
  const isInScope = scopeTest(options.scope);

  const add = async (
    sessionId: string,
    events: readonly SessionEvent[],
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const added = events.flatMap((event) => turnOf(sessionId, event, counter) ?? []);
    const known = read.get(sessionId) ?? 0;
    if (added.length > 0) await index.put(await documentsOf(added, embedder, signal), { signal });
    for (const turn of added) turns.set(turn.hit.memoryId, turn);
    read.set(sessionId, known + events.length);
  };
  const readNew = async (signal: AbortSignal | undefined): Promise<void> => {
    if (session !== undefined) {
      const { eventLog, sessionId } = session;
      await add(sessionId, eventLog.slice(read.get(sessionId) ?? 0), signal);
    }
    for await (const sessionId of sessionIdsOf(store, signal)) {
      if (sessionId === session?.sessionId || !isInScope(sessionId)) continue;
      await readStored(sessionId, signal);
    }
  };
  /**
   * Reads a session page by page. A store only returns whole pages, so known events on the last
   * page are skipped.
   */
  const readStored = async (sessionId: string, signal: AbortSignal | undefined): Promise<void> => {
    if (store === undefined) return;
    let cursor: string | undefined;
    let seen = 0;
    do {
      const page = await store.read(sessionId, { cursor, limit: 10_000, signal });
      const known = read.get(sessionId) ?? 0;
      await add(sessionId, page.events.slice(Math.max(0, known - seen)), signal);
      seen += page.events.length;
      ({ cursor } = page);
    } while (cursor !== undefined);
  };
  let last: Promise<void> = Promise.resolve();
  return {
    async search(query, { topK, signal }) {
      // Searches read one after another, so that no event is read twice.
      last = last.catch(() => undefined).then(() => readNew(signal));
      await last;
      throwIfAborted(signal, ContextCompilerError);
      const text = index.searchText({ text: query, limit: topK });
      const [vector] = embedder === undefined ? [] : await embedder.embed([query], { signal });
      const hits =
        vector === undefined
          ? text.hits
          : fuseHits({
              text: text.hits,
              vector: index.searchVector({ vector, limit: topK }),
              extraOf: () => ({}),
            });
      return hits.slice(0, topK).flatMap(({ id, score }): MemoryHit[] => {
        const turn = turns.get(id);
        return turn === undefined ? [] : [{ ...turn.hit, score }];
      });
    },
  };
}

function requireMemoryOptions(options: SessionMemoryOptions): void {
  requireObject("The options of a memory", options);
  const { session, store, scope, embedder, counter } = options;
  requireIfGiven("session", session, "record");
  requireIfGiven("store", store, "read", "listSessions");
  requireIfGiven("embedder", embedder, "embed");
  requireIfGiven("counter", counter, "count");
  const isScope = scope === undefined || typeof scope === "function" || Array.isArray(scope);
  requireThat(isScope, `scope is a list of ids or a function, not ${shown(scope)}.`);
  requireThat(
    session !== undefined || store !== undefined,
    "A memory needs a session or a store of sessions.",
  );
}

function scopeTest(scope: SessionMemoryOptions["scope"]): (sessionId: string) => boolean {
  if (scope === undefined) return () => true;
  if (typeof scope === "function") return scope;
  const ids = new Set(scope);
  return (sessionId) => ids.has(sessionId);
}

async function* sessionIdsOf(
  store: SessionStore | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  let cursor: string | undefined;
  do {
    const page = await store?.listSessions({ cursor, signal });
    yield* page?.sessionIds ?? [];
    cursor = page?.cursor;
  } while (cursor !== undefined);
}

/** Returns what a person or a model said. Undefined for other events. */
function turnOf(sessionId: string, event: SessionEvent, counter: TokenCounter): Turn | undefined {
  const isSaid =
    event.kind === "assistant_message" ||
    (event.kind === "user_input" && (event.data.role ?? "user") === "user");
  const message = isSaid ? eventMessage(event) : undefined;
  const text = textOf(message).trim();
  if (message === undefined || text === "") return undefined;
  const excerpt = truncateMiddle(text, { maxTokens: maxHitTokens, counter }).text;
  const { eventId } = event;
  const source = `session:${sessionId}`;
  const hit = {
    memoryId: `${sessionId}/${eventId}`,
    text: `${message.role}: ${excerpt}`,
    source,
    eventId,
  };
  return { hit, text };
}

async function documentsOf(
  turns: readonly Turn[],
  embedder: Embedder | undefined,
  signal: AbortSignal | undefined,
): Promise<SearchDocument<"text">[]> {
  const vectors = await embedder?.embed(
    turns.map(({ text }) => text),
    { signal },
  );
  return turns.map(({ hit, text }, at) => {
    return { id: hit.memoryId, texts: { text }, vector: vectors?.[at] };
  });
}
