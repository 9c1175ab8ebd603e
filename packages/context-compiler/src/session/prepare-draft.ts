import type { ArtifactStore } from "@ccl/artifact-store";
import { type Issue, type TokenCounter, canonicalJson, CanonicalJsonError } from "@ccl/core";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { externalizeContent } from "../externalize/externalize-content.ts";
import { isEventBody, isEventKind } from "../event/check-event-data.ts";
import { encodeInput } from "./event-input.ts";
import { redactData, type Redact } from "./redact-data.ts";
import type { EventBody, SessionEventKind, EventContent } from "../event/session-event.ts";
import type { StoredTexts } from "../externalize/stored-texts.ts";

/** Input for an event, as passed by the caller. */
export interface UncheckedDraft {
  kind: unknown;
  data: unknown;
}

/** A draft whose data has been checked and masked. */
export interface MaskedDraft {
  draft: EventBody;
  mimeType?: string | undefined;
}

/** How to prepare a session's events. */
export interface PrepareContext {
  sessionId: string;
  counter: TokenCounter;
  redact: Redact | undefined;
  artifactStore: ArtifactStore | undefined;
  offloadAboveTokens: number;
  storedTexts: StoredTexts;
}

/** Options for storing the payloads of a draft. */
interface StoreOptions {
  /** The earlier events, newest first. */
  before: Iterable<EventBody>;
  signal: AbortSignal | undefined;
}

/**
 * Checks and masks a copy of the draft. The copy shares nothing with the caller's data.
 * @throws ContextCompilerError `invalid_event` with all issues
 */
export function maskDraft({ kind, data }: UncheckedDraft, redact: Redact | undefined): MaskedDraft {
  if (!isEventKind(kind))
    throw new ContextCompilerError("invalid_event", `Unknown event kind "${String(kind)}".`);
  const { mimeType, ...outcome }: { mimeType?: unknown } = encodeInput(kind, data);
  const hasMimeType = isOutcome(kind) && typeof mimeType === "string";
  const plain = plainJson(hasMimeType ? outcome : { ...outcome, mimeType });
  const draft = bodyOf(kind, redact === undefined ? plain : redactData(plain, redact));
  return hasMimeType ? { draft, mimeType } : { draft };
}

/**
 * Stores the draft's large payloads. Returns an `artifact_stored` event for each, followed by the
 * draft.
 */
export async function storePayloads(
  { draft, mimeType }: MaskedDraft,
  context: PrepareContext,
  { before, signal }: StoreOptions,
): Promise<EventBody[]> {
  const { artifactStore: store, offloadAboveTokens: aboveTokens, counter, sessionId } = context;
  if (draft.kind !== "tool_success" && draft.kind !== "tool_error" && draft.kind !== "tool_timeout")
    return [draft];
  const { data } = draft;
  if (store === undefined || data.isArtifactRead === true || data.content === undefined)
    return [draft];
  const source = data.source ?? (data.name === undefined ? "tool" : `tool:${data.name}`);
  const { content, artifacts, failure } = await externalizeContent(data.content, {
    store,
    aboveTokens,
    counter,
    sessionId,
    source,
    mimeType,
    query: questionOf(data.callId, before),
    storedTexts: context.storedTexts,
    signal,
  });
  const stored = artifacts.map(({ type: _type, ...artifact }): EventBody => {
    return { kind: "artifact_stored", data: { ...artifact, source, callId: data.callId } };
  });
  const failed = failure === undefined ? {} : { externalizeFailure: failure };
  return [...stored, bodyOf(draft.kind, plainJson({ ...data, content, ...failed }))];
}

function isOutcome(kind: SessionEventKind): boolean {
  return kind === "tool_success" || kind === "tool_error" || kind === "tool_timeout";
}

function bodyOf(kind: SessionEventKind, data: unknown): EventBody {
  const issues: Issue[] = [];
  const draft: { kind: SessionEventKind; data: unknown } = { kind, data };
  if (isEventBody(draft, issues)) return draft;
  const [first] = issues;
  const more = issues.length > 1 ? ` And ${issues.length - 1} more.` : "";
  throw new ContextCompilerError(
    "invalid_event",
    `No event "${kind}": ${first?.message ?? "wrong data."}${more}`,
    {
      details: { issues },
    },
  );
}

const loneSurrogates = /\p{Surrogate}/gu;

/**
 * Copies a value through canonical JSON, so that an event in memory is byte-identical to one read
 * back.
 * @throws ContextCompilerError `invalid_event` for a value that JSON can't represent
 */
function plainJson(value: unknown): unknown {
  return JSON.parse(jsonOf(value));
}

/** Writes canonical JSON in which lone surrogates, which UTF-8 can't encode, are U+FFFD. */
export function jsonOf(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (!CanonicalJsonError.isInstance(error)) throw error;
    if (error.code === "lone_surrogate") return canonicalJson(wellFormed(value));
    throw new ContextCompilerError(
      "invalid_event",
      `The data of an event has to be JSON. ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.replace(loneSurrogates, "\uFFFD");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.replace(loneSurrogates, "\uFFFD"),
      wellFormed(member),
    ]),
  );
}

/** Maximum number of events to search for a result's question. */
const maxEvents = 200;
const maxChars = 2_000;

/**
 * Returns the question that a result answers: the user's latest message and the arguments of its
 * call. `events` must be newest first.
 */
function questionOf(callId: string, events: Iterable<EventBody>): string {
  let input = "";
  let seen = 0;
  for (const event of events) {
    if (event.kind === "user_input")
      return `${wordsIn(event.data.content)} ${input}`.slice(-maxChars);
    if (input === "") input = argumentsIn(event, callId) ?? "";
    seen += 1;
    if (seen >= maxEvents) break;
  }
  return input.slice(-maxChars);
}

function argumentsIn(event: EventBody, callId: string): string | undefined {
  if (event.kind === "tool_call" && event.data.callId === callId) return event.data.arguments;
  if (event.kind !== "assistant_message") return undefined;
  return event.data.toolCalls?.find(({ id }) => id === callId)?.arguments;
}

function wordsIn(content: EventContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
}
