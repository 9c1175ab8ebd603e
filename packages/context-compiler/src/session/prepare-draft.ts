import type { ArtifactStore } from "@ccl/artifact-store";
import type { Issue, TokenCounter } from "@ccl/core";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { externalizeContent } from "../externalize/externalize-content.ts";
import { isEventBody, isEventKind } from "../event/check-event-data.ts";
import { encodeInput } from "./event-input.ts";
import { plainJson } from "./plain-json.ts";
import { questionOf } from "./question-of.ts";
import { redactData, type Redact } from "./redact-data.ts";
import type { EventBody, SessionEventKind } from "../event/session-event.ts";
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
    throw new ContextCompilerError("invalid_event", `There is no kind "${String(kind)}" of event.`);
  const { mimeType, ...outcome }: { mimeType?: unknown } = encodeInput(kind, data);
  const hasMimeType = isOutcome(kind) && typeof mimeType === "string";
  const plain = plainJson(
    hasMimeType || mimeType === undefined ? outcome : { ...outcome, mimeType },
  );
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
