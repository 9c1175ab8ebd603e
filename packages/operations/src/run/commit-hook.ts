import { isTurnEffect } from "../effects/is-effect-of.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import { valuesByTag } from "../kinds/template-scope-of.ts";
import { defaultRenderer } from "../liquid/default-renderer.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { OperationErrorCode } from "../operation/operation-outcome.ts";
import type { OperationTurnEffects, TurnOutcome } from "../ports/chat-store.ts";
import type { SessionWrite, SessionWriteOutcome } from "../ports/profile-session-store.ts";
import { formerOf, writeOf, writtenArtifact } from "./artifact-view.ts";
import { OperationsError } from "../operations-error.ts";
import { messageOf } from "../operation/message-of.ts";
import {
  artifactsAfter,
  assembleAfter,
  promptEffectsOf,
  withUserVariant,
} from "./operation-view.ts";
import type { PlannedOperation } from "./plan-run.ts";
import type { OperationRecord, RunDesk } from "./run-desk.ts";
import type { CommitLogEntry, CommittedEffect } from "./run-result.ts";
import { safeText } from "./safe-text.ts";

/** One operation whose effects are to be committed. */
interface Committing {
  operation: PlannedOperation;
  record: OperationRecord;
  /** Only before the main call does a failure of a required one undo the others. */
  isRequired: boolean;
  failure?: { code: OperationErrorCode; message: string } | undefined;
  version?: number | undefined;
}

/**
 * Commits what the done operations of a hook have given, in commit order, each of them whole or not at all: first all
 * persisted artifacts, then all turn effects, and what belongs to a failed one is taken back. Before the main call a
 * failure of a required operation discards everything. May be repeated after a crash. A store that throws fails all.
 * @throws OperationsError `stale_lease`
 */
export async function commitHook(desk: RunDesk, hook: Hook): Promise<CommitLogEntry[]> {
  const all: Committing[] = [];
  for (const operation of desk.plan.operations) {
    const record = desk.records[operation.index];
    if (operation.hook !== hook || record?.status !== "done" || record.effects.length === 0)
      continue;
    all.push({
      operation,
      record,
      isRequired: hook === "before_main_llm" && operation.config.required,
    });
  }
  checkExpectedVersions(desk, all);
  checkInclusions(desk, all);
  if (hook === "before_main_llm") checkInserts(desk, all);
  try {
    if (!isDiscarded(all)) await writeArtifacts(desk, hook, all);
    if (!isDiscarded(all)) await applyTurnEffects(desk, hook, all);
  } catch (error) {
    if (OperationsError.isInstance(error) && error.code === "stale_lease") throw error;
    await failAll(desk, hook, { all, error });
  }
  const discards = isDiscarded(all);
  return all.map((committing) => entryOf(committing, hook, discards));
}

/** Takes over what a commit has done, from the commit itself or from what is stored of it. */
export function adoptCommit(desk: RunDesk, hook: Hook, entries: readonly CommitLogEntry[]): void {
  const byId = new Map(entries.map((entry) => [entry.operationId, entry]));
  const artifacts = { ...desk.artifacts };
  const persisted = { ...desk.persisted };
  for (const operation of desk.plan.operations) {
    const record = desk.records[operation.index];
    const entry = operation.hook === hook ? byId.get(operation.operationId) : undefined;
    if (record === undefined || entry === undefined) continue;
    record.isCommitted = entry.commitStatus === "committed";
    if (record.isCommitted)
      desk.history = withUserVariant(desk.history, desk.input.userMessageId, record.effects);
    const write = writeOf(record.effects);
    if (write === undefined || entry.commitStatus !== "committed") continue;
    const version = entry.effects.find(({ type }) => type === "artifact.upsert")?.version ?? 1;
    const before = formerOf({ artifacts, persisted }, write);
    const stamp = {
      runId: desk.input.runId,
      writtenAt: record.finishedAt ?? desk.input.startedAt,
      version,
    };
    const isSame = write.persisted && before?.version === version;
    const artifact = isSame ? before : writtenArtifact(before, write, stamp);
    artifacts[write.tag] = artifact;
    if (write.persisted) {
      persisted[write.tag] = artifact;
      desk.heads?.set(write.tag, version);
    }
    desk.written ??= new Map();
    desk.written.delete(write.tag);
    desk.written.set(write.tag, { artifact, operationId: operation.operationId, hook });
  }
  desk.artifacts = Object.freeze(artifacts);
  desk.persisted = Object.freeze(persisted);
  desk.commitLog.push(...entries);
}

function isDiscarded(all: readonly Committing[]): boolean {
  return all.some(({ isRequired, failure }) => isRequired && failure !== undefined);
}

function checkExpectedVersions(desk: RunDesk, all: readonly Committing[]): void {
  for (const committing of all) {
    const write = writeOf(committing.record.effects);
    if (write?.expectedVersion === undefined) continue;
    const version = formerOf(desk, write)?.version ?? 0;
    if (version !== write.expectedVersion)
      committing.failure = conflict(write.tag, write.expectedVersion, version);
  }
}

/** A template that can't be rendered would be left out of every prompt from now on. */
function checkInclusions(desk: RunDesk, all: readonly Committing[]): void {
  for (const committing of all) {
    const { operation, record, failure } = committing;
    const write = writeOf(record.effects);
    const template = write?.inclusion?.template;
    if (write === undefined || template === undefined || failure !== undefined) continue;
    const art = valuesByTag(artifactsAfter(desk, [operation.index]));
    const { renderer = defaultRenderer() } = desk.services;
    const rendered = renderer.render(template, { art, value: write.value });
    if (rendered.ok) continue;
    const message = `The inclusion of art.${write.tag} can't be rendered: ${rendered.issues[0]?.message ?? template}`;
    committing.failure = { code: "template_render_error", message: safeText(message, 512) };
  }
}

/** Inserts that may not do without their anchor fail here, where only their operation fails with them. */
function checkInserts(desk: RunDesk, all: readonly Committing[]): void {
  const { prompt: trim } = desk.services.limits;
  for (;;) {
    const open = all.filter(({ failure }) => failure === undefined);
    if (!open.some(({ record }) => record.effects.some(mayLackPlace))) return;
    const indexes = open.map(({ operation }) => operation.index);
    const assembled = assembleAfter(desk, {
      indexes,
      artifacts: artifactsAfter(desk, indexes),
      trim,
    });
    const effects = promptEffectsOf(desk, indexes);
    let found = 0;
    for (const { code, path, message } of assembled.ok ? [] : assembled.issues) {
      const owner = path[0] === "effects" ? effects[Number(path[1])]?.operationId : undefined;
      const committing = open.find(({ operation }) => operation.operationId === owner);
      if (committing === undefined) continue;
      committing.failure ??= {
        code: "policy_error",
        message: safeText(`${code}: ${message}`, 512),
      };
      found += 1;
    }
    if (found === 0) return;
  }
}

function mayLackPlace(effect: OperationEffect): boolean {
  return (
    effect.type === "prompt.insert" &&
    (effect.place === "replace" || effect.onAnchorTrimmed === "fail")
  );
}

function conflict(
  tag: string,
  expected: number,
  found: number,
): NonNullable<Committing["failure"]> {
  const message = `art.${tag} was expected at version ${expected} and has version ${found}; another writer was first.`;
  return { code: "artifact_conflict", message };
}

async function writeArtifacts(
  desk: RunDesk,
  hook: Hook,
  all: readonly Committing[],
): Promise<void> {
  const writes: SessionWrite[] = [];
  const writers: Committing[] = [];
  for (const committing of all) {
    const write = committing.failure === undefined ? writeOf(committing.record.effects) : undefined;
    if (write?.persisted !== true) continue;
    const parentVersion = formerOf(desk, write)?.version;
    writers.push(committing);
    writes.push({
      operationId: committing.operation.operationId,
      write,
      expectedHead: desk.heads?.get(write.tag) ?? 0,
      isRequired: committing.isRequired,
      parentVersion,
    });
  }
  if (writes.length === 0 || desk.sessionKey === undefined) return;
  const { runId } = desk.input;
  const { fencingToken } = desk.lease;
  const writtenAt = desk.services.clock.now();
  const commit = { key: desk.sessionKey, runId, hook, fencingToken, writtenAt, writes };
  const outcomes = await desk.services.sessions.commit(commit);
  for (const [index, committing] of writers.entries())
    adoptWrite(committing, writes[index], outcomes[index]);
}

function adoptWrite(
  committing: Committing,
  write: SessionWrite | undefined,
  outcome: SessionWriteOutcome | undefined,
): void {
  if (outcome === undefined || write === undefined) {
    throw new OperationsError(
      "store_failed",
      "The session store gave fewer outcomes than there were writes.",
    );
  }
  if (outcome.status === "written") committing.version = outcome.version;
  else if (outcome.status === "conflict") {
    committing.failure = conflict(write.write.tag, write.expectedHead, outcome.head);
  }
}

async function applyTurnEffects(
  desk: RunDesk,
  hook: Hook,
  all: readonly Committing[],
): Promise<void> {
  const operations: OperationTurnEffects[] = [];
  const owners: Committing[] = [];
  for (const committing of all) {
    const effects = committing.record.effects.filter(isTurnEffect);
    if (effects.length === 0 || committing.failure !== undefined) continue;
    owners.push(committing);
    operations.push({
      operationId: committing.operation.operationId,
      effects,
      isRequired: committing.isRequired,
    });
  }
  if (operations.length === 0) return;
  const { runId, chatId, branchId, userMessageId, assistantVariantId } = desk.input;
  const { fencingToken } = desk.lease;
  const outcomes = await desk.services.chat.commitTurn({
    runId,
    hook,
    chatId,
    branchId,
    userMessageId,
    fencingToken,
    operations,
    assistantVariantId: hook === "after_main_llm" ? assistantVariantId : undefined,
  });
  for (const [index, committing] of owners.entries()) adoptTurn(committing, outcomes[index]);
  await revertFailed(desk, hook, all);
}

function adoptTurn(committing: Committing, outcome: TurnOutcome | undefined): void {
  if (outcome === undefined) {
    throw new OperationsError(
      "store_failed",
      "The chat store gave fewer outcomes than there were operations.",
    );
  }
  if (outcome.status !== "failed") return;
  committing.failure = { code: "internal_error", message: safeText(outcome.message, 512) };
}

/** What a store has done before it threw is not known: it is taken back as far as it can be. */
async function failAll(
  desk: RunDesk,
  hook: Hook,
  { all, error }: { all: readonly Committing[]; error: unknown },
): Promise<void> {
  const message = safeText(`A store failed: ${messageOf(error)}`, 512);
  for (const committing of all) {
    committing.failure ??= { code: "internal_error", message };
    if (writeOf(committing.record.effects)?.persisted === true) committing.version ??= 0;
  }
  try {
    await revertFailed(desk, hook, all);
  } catch {
    // The log says that nothing was committed; a store that fails twice leaves it at that.
  }
}

/** An operation is committed whole or not at all: its artifact goes with its turn effects. */
async function revertFailed(desk: RunDesk, hook: Hook, all: readonly Committing[]): Promise<void> {
  const discards = isDiscarded(all);
  const failed = all.filter(
    ({ version, failure }) => version !== undefined && (discards || failure !== undefined),
  );
  if (failed.length === 0 || desk.sessionKey === undefined) return;
  await desk.services.sessions.revert({
    key: desk.sessionKey,
    runId: desk.input.runId,
    hook,
    fencingToken: desk.lease.fencingToken,
    operationIds: failed.map(({ operation }) => operation.operationId),
  });
}

function entryOf(
  { operation, record, failure, version }: Committing,
  hook: Hook,
  discards: boolean,
): CommitLogEntry {
  const effects = record.effects.map((effect): CommittedEffect => {
    if (effect.type !== "artifact.upsert") return { type: effect.type };
    const hasVersion = version !== undefined && failure === undefined && !discards;
    return { type: effect.type, tag: effect.tag, version: hasVersion ? version : undefined };
  });
  const { operationId } = operation;
  if (failure !== undefined) {
    const { code: errorCode, message: errorMessage } = failure;
    return { hook, operationId, commitStatus: "error", effects, errorCode, errorMessage };
  }
  return { hook, operationId, commitStatus: discards ? "discarded" : "committed", effects };
}
