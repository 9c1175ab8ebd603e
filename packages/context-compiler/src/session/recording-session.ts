import {
  createUuidV7Generator,
  estimatedCounter,
  redactSecrets,
  systemClock,
  type ChatMessage,
  type TokenCounter,
} from "@ccl/core";
import { throwIfAborted, untilAborted } from "@ccl/core/async";
import { deepFreeze } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { evidenceEntry, sealEvidence, type EvidenceEntry } from "../evidence/evidence-pack.ts";
import { createMessageMeter } from "../fit/message-meter.ts";
import { requireThat, shown } from "../fit/require-that.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { requireSessionId, requireStateKey } from "../session-store/store-input.ts";
import { createEventLog, type EventLog, type RecordOptions } from "./event-log.ts";
import { eventMessage } from "./event-message.ts";
import {
  maskDraft,
  type MaskedDraft,
  storePayloads,
  type PrepareContext,
  type UncheckedDraft,
} from "./prepare-draft.ts";
import type { Redact } from "./redact-data.ts";
import type { EventBody, SessionEvent, SessionEventKind } from "../event/session-event.ts";
import { createSessionTimeline, type SessionMessage } from "./session-timeline.ts";
import type { Session, SessionOptions } from "./session.ts";
import { createStoredTexts } from "../externalize/stored-texts.ts";

/** Options of `beginSession`. */
interface BeginSessionOptions extends SessionOptions {
  sessionId: string;
  store: SessionStore;
  /** The session's events in the store. */
  events: readonly SessionEvent[];
  /** Evidence for events that are not in the log. */
  evidence?: readonly EvidenceEntry[] | undefined;
}

/** Creates a session on a store that already contains the given events. */
export function beginSession(options: BeginSessionOptions): Session {
  const { sessionId, store, evidence = [] } = options;
  requireSessionId(sessionId);
  const context = prepareContext(options);
  let isClosed = false;
  let tail: Promise<unknown> = Promise.resolve();

  const recordDrafts = async (
    drafts: readonly UncheckedDraft[],
    { signal, artifactStore = context.artifactStore }: RecordOptions,
  ): Promise<SessionEvent[]> => {
    throwIfAborted(signal, ContextCompilerError);
    if (isClosed) throw new ContextCompilerError("closed", `Session "${sessionId}" is closed.`);
    requireDrafts(drafts);
    const masked = drafts.map((draft) => maskDraft(draft, context.redact));
    // Payloads are stored concurrently. Events enter the log in call order.
    const stored = masked.map((draft, at) =>
      storePayloads(
        draft,
        { ...context, artifactStore },
        { before: newestFirst(recorder.log, masked.slice(0, at)), signal },
      ),
    );
    const prepared = Promise.all(stored).finally(() =>
      throwIfAborted(signal, ContextCompilerError),
    );
    prepared.catch(() => undefined);
    const before = tail;
    const ready = before.then(() => prepared);
    // Once an append has started, only its outcome shows whether the store has the events.
    const append = (bodies: readonly EventBody[][]): Promise<SessionEvent[]> =>
      recorder.append(bodies.flat(), signal);
    const done = (
      signal === undefined ? ready : untilAborted(ready, signal, ContextCompilerError)
    ).then(append);
    // Without a signal, a record never finishes before those that started earlier.
    tail = (signal === undefined ? done : before.then(() => done)).then(ignore, ignore);
    return done;
  };
  const record: Session["record"] = async (kind, data, options = {}) => {
    const events = await recordDrafts([{ kind, data }], options);
    const event = events.at(-1);
    if (event === undefined || !isOfKind(event, kind))
      throw new ContextCompilerError("invalid_event", "Nothing was recorded.");
    return event;
  };
  const recorder = createRecorder(options, { ...context, append: record });
  for (const event of options.events) recorder.take(event);
  return {
    sessionId,
    eventLog: recorder.log,
    counter: context.counter,
    artifactStore: context.artifactStore,
    offloadAboveTokens: context.offloadAboveTokens,
    redact: options.redact,
    record,
    recordAll: (drafts, options = {}) => recordDrafts(drafts, options),
    messages: () => recorder.messages.slice(),
    toEvidencePack: () =>
      sealEvidence(sessionId, [...evidence, ...Array.from(recorder.log, evidenceEntry)]),
    async saveState(key, json, stateOptions) {
      requireStateKey(key);
      await store.saveState(sessionId, { key, json }, stateOptions);
    },
    async loadState(key, stateOptions) {
      requireStateKey(key);
      return store.loadState(sessionId, key, stateOptions);
    },
    async refresh({ signal } = {}) {
      const before = tail;
      const done = before.then(async () => {
        const events = await readEvents(store, sessionId, signal);
        const added = events.slice(recorder.log.length);
        for (const event of added) recorder.take(event);
        return added.length;
      });
      tail = done.then(ignore, ignore);
      return done;
    },
    async close() {
      isClosed = true;
      await tail;
    },
  };
}

/** Reads all events of a session from the store, page by page. */
export async function readEvents(
  store: SessionStore,
  sessionId: string,
  signal: AbortSignal | undefined,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  let cursor: string | undefined;
  do {
    const reading = store.read(sessionId, { cursor, signal });
    const page = await untilAborted(reading, signal, ContextCompilerError);
    for (const event of page.events) events.push(event);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return events;
}

/** Yields the earlier drafts of the same call, followed by the events in the log, newest first. */
function* newestFirst(log: EventLog, drafts: readonly MaskedDraft[]): Generator<EventBody> {
  for (const { draft } of drafts.toReversed()) yield draft;
  for (let at = log.length - 1; at >= 0; at -= 1) {
    const event = log.at(at);
    if (event !== undefined) yield event;
  }
}

const ignore = (): void => undefined;
const maskSecrets = (text: string): string => redactSecrets(text).text;

/** Returns the function that masks secrets in a session's texts. Undefined if masking is disabled. */
export function redactOf({ redact = maskSecrets }: Pick<Session, "redact">): Redact | undefined {
  return redact === false ? undefined : redact;
}

/** Adds events to the log. */
interface Recorder {
  log: EventLog;
  messages: readonly SessionMessage[];
  /** Adds an event that is already in the store. */
  take(event: SessionEvent): void;
  append(bodies: readonly EventBody[], signal: AbortSignal | undefined): Promise<SessionEvent[]>;
}

function createRecorder(
  { sessionId, store, clock = systemClock, ids, events }: BeginSessionOptions,
  {
    append,
    counter,
    storedTexts,
  }: Pick<PrepareContext, "counter" | "storedTexts"> & { append: EventLog["append"] },
): Recorder {
  const { log, push } = createEventLog(append);
  const timeline = createSessionTimeline();
  const meter = createMessageMeter(counter);
  const usedIds = new Set<string>();
  let calls = createCallLedger();
  // When a session is reopened, its ids continue after the last one, even if the clock was set back.
  const lastTimestamp = events.at(-1)?.timestamp ?? 0;
  const eventIds =
    ids ??
    createUuidV7Generator({ clock: { now: () => Math.max(clock.now(), lastTimestamp + 1) } });

  const keep = (event: SessionEvent, message: ChatMessage | undefined): void => {
    usedIds.add(event.eventId);
    push(event);
    if (event.kind === "artifact_stored") storedTexts.confirm(event.data.artifactId);
    timeline.add(event, message);
  };
  return {
    log,
    messages: timeline.entries,
    take(event) {
      calls.takes(event);
      keep(event, undefined);
    },
    async append(bodies, signal) {
      const now = clock.now();
      requireThat(
        Number.isFinite(now),
        `The clock returned ${shown(now)} instead of milliseconds since the epoch.`,
      );
      const timestamp = Math.max(Math.floor(now), log.at(-1)?.timestamp ?? 0);
      const after = calls.fork();
      const recorded = bodies.map((body) => {
        const message = eventMessage(body);
        const tokens = after.takes(body)
          ? meter.of(message ?? callMessage(body))
          : shownTokens(body, counter);
        const eventId = eventIds.next();
        const isId = typeof eventId === "string" && eventId !== "";
        requireThat(
          isId,
          `The id generator returned ${shown(eventId)} instead of a non-empty string.`,
        );
        const event: SessionEvent = { ...body, eventId, timestamp, tokens };
        return { event: deepFreeze(event), message };
      });
      const newIds = new Set(recorded.map(({ event }) => event.eventId));
      if (newIds.size < recorded.length || [...newIds].some((id) => usedIds.has(id))) {
        throw new ContextCompilerError(
          "invalid_options",
          "The id generator returned the same id twice.",
        );
      }
      const expectedVersion = log.length;
      const stored = recorded.map(({ event }) => event);
      await store.append(sessionId, stored, {
        expectedVersion,
        signal,
      });
      calls = after;
      for (const { event, message } of recorded) keep(event, message);
      return stored;
    },
  };
}

function requireDrafts(drafts: unknown): void {
  const isDraft = (draft: unknown): boolean => typeof draft === "object" && draft !== null;
  if (Array.isArray(drafts) && drafts.every(isDraft)) return;
  throw new ContextCompilerError(
    "invalid_event",
    "What is recorded is a list of objects with `kind` and `data`.",
  );
}

/** Returns the message for a call that the application started itself. */
function callMessage(body: EventBody): ChatMessage {
  if (body.kind !== "tool_call") return { role: "assistant", content: "" };
  const { callId, name, arguments: text } = body.data;
  return { role: "assistant", content: "", toolCalls: [{ id: callId, name, arguments: text }] };
}

/** Returns the tokens that an event adds to a prompt without being its own message. */
function shownTokens(body: EventBody, counter: TokenCounter): number {
  return body.kind === "memory_hit" ? counter.count(body.data.text) : 0;
}

function isOfKind<Kind extends SessionEventKind>(
  event: SessionEvent,
  kind: Kind,
): event is SessionEvent<Kind> {
  return event.kind === kind;
}

function prepareContext(options: BeginSessionOptions): PrepareContext {
  const {
    sessionId,
    artifactStore,
    offloadAboveTokens = 1_000,
    counter = estimatedCounter,
  } = options;
  return {
    sessionId,
    artifactStore,
    offloadAboveTokens,
    counter,
    storedTexts: createStoredTexts(),
    redact: redactOf(options),
  };
}

/**
 * Tracks which calls are waiting for a result, so that an event's prompt tokens are known when it
 * is recorded.
 */
interface CallLedger {
  /** True if the event becomes its own message in a prompt. If so, updates the ledger. */
  takes(event: EventBody): boolean;
  /** Returns a copy for trying out events. */
  fork(): CallLedger;
}

/** Creates a ledger with open calls, passed as their number by id. */
function createCallLedger(open: Map<string, number> = new Map()): CallLedger {
  const add = (callId: string): unknown => open.set(callId, (open.get(callId) ?? 0) + 1);
  const answer = (callId: string): boolean => {
    const waiting = open.get(callId) ?? 0;
    if (waiting > 1) open.set(callId, waiting - 1);
    else open.delete(callId);
    return waiting > 0;
  };
  function takes(event: EventBody): boolean {
    switch (event.kind) {
      case "user_input":
        return true;
      case "assistant_message":
        open.clear();
        for (const { id } of event.data.toolCalls ?? []) add(id);
        return true;
      case "tool_call": {
        if (open.has(event.data.callId)) return false;
        add(event.data.callId);
        return true;
      }
      case "tool_success":
      case "tool_error":
      case "tool_timeout":
        return event.data.isLate !== true && answer(event.data.callId);
      default:
        return false;
    }
  }
  return { takes, fork: () => createCallLedger(new Map(open)) };
}
