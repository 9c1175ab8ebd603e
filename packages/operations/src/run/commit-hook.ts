import { versionAfter, writtenArtifact } from "../artifact/written-artifact.ts";
import { type OperationEffect, isTurnEffect } from "../effects/operation-effect.ts";
import { valuesByTag } from "../kinds/template-scope-of.ts";
import { defaultRenderer } from "../liquid/create-template-renderer.ts";
import type { Hook, OperationErrorCode } from "../operation/operation-definition.ts";
import type { OperationTurnEffects } from "../ports/chat-store.ts";
import { artifactsAfter, fittedPrompt, promptEffectsOf, withUserVariant } from "./fitted-prompt.ts";
import { effectsOf, type OperationRecord, writeOf } from "./operation-record.ts";
import { previousArtifact, type RunContext } from "./run-context.ts";
import type { CommitLogEntry, CommittedEffect, FailedDetails } from "../events/run-event.ts";
import { safeText } from "./safe-text.ts";

/** An operation whose effects will be committed. */
interface Committing {
  record: OperationRecord;
  /** If a required operation fails before the main call, the others are not committed either. */
  isRequired: boolean;
  failure?: { code: OperationErrorCode; message: string } | undefined;
  version?: number | undefined;
}

/**
 * Writes the effects of a hook's done operations to the journal, in commit order. Each operation's effects are
 * committed together or not at all. Before the main call, a failed required operation discards everything.
 */
export async function commitHook(run: RunContext, hook: Hook): Promise<CommitLogEntry[]> {
  const all = run.records.flatMap((record): Committing[] => {
    const { operation, end } = record;
    if (operation.hook !== hook || end?.effects === undefined) return [];
    const isRequired = hook === "before_main_llm" && operation.config.required;
    return [{ record, isRequired, failure: writeFailure(run, record) }];
  });
  if (hook === "before_main_llm") await checkInserts(run, all);
  const discards = all.some(({ isRequired, failure }) => isRequired && failure !== undefined);
  if (!discards) commitAll(run, hook, all);
  return all.map((committing) => entryOf(committing, hook, discards));
}

/** Applies the outcome of a commit to the run, and announces the changes. */
export function adoptCommit(run: RunContext, hook: Hook, entries: readonly CommitLogEntry[]): void {
  const byId = new Map(entries.map((entry) => [entry.operationId, entry]));
  const artifacts = { ...run.artifacts };
  const persisted = { ...run.persisted };
  const heads = { ...run.kept?.heads };
  for (const record of run.records) {
    const { operationId, hook: at } = record.operation;
    const entry = at === hook ? byId.get(operationId) : undefined;
    if (entry === undefined) continue;
    record.isCommitted = entry.commitStatus === "committed";
    if (!record.isCommitted) continue;
    const effects = effectsOf(record);
    run.history = withUserVariant(run.history, run.input.userMessageId, effects);
    const by = { operationId, hook };
    for (const effect of effects) {
      if (!("select" in effect) || effect.select !== true) continue;
      const side = effect.type === "turn.user_variant" ? "user" : "assistant";
      run.emit({ type: "variant.selected", ...by, side });
    }
    const write = writeOf(record);
    if (write === undefined) continue;
    const version = entry.effects.find(({ type }) => type === "artifact.upsert")?.version ?? 1;
    const before = previousArtifact({ artifacts, persisted }, write);
    const stamp = {
      runId: run.input.runId,
      writtenAt: record.end?.finishedAt ?? run.input.startedAt,
      version,
    };
    const artifact = writtenArtifact(before, write, stamp);
    artifacts[write.tag] = artifact;
    const { tag, persisted: isKept, usage } = write;
    const shown = { persisted: isKept, usage, version: isKept ? version : undefined };
    if (artifact !== before) run.emit({ type: "artifact.changed", ...by, tag, ...shown });
    if (write.persisted) {
      persisted[write.tag] = artifact;
      heads[write.tag] = run.input.runId;
    }
    run.written ??= new Map();
    run.written.delete(write.tag);
    run.written.set(write.tag, { artifact, ...by });
  }
  run.artifacts = Object.freeze(artifacts);
  run.persisted = Object.freeze(persisted);
  if (run.kept !== undefined) run.kept = { ...run.kept, heads: Object.freeze(heads) };
  run.commitLog.push(...entries);
}

/** Finds the first required operation whose effects could not be committed. */
export function commitFailure(
  run: RunContext,
  hook: Hook,
  entries: readonly CommitLogEntry[],
): FailedDetails | undefined {
  const isRequired = (operationId: string): boolean =>
    run.plan.operations.some(
      (at) => at.hook === hook && at.operationId === operationId && at.config.required,
    );
  const failed = entries.find(
    ({ commitStatus, operationId }) => commitStatus === "error" && isRequired(operationId),
  );
  if (failed === undefined) return undefined;
  const { operationId, errorCode, errorMessage } = failed;
  return { operationId, errorCode, errorMessage };
}

/** Returns why a write cannot be committed. An inclusion that cannot be rendered would be missing in all later prompts. */
function writeFailure(run: RunContext, record: OperationRecord): Committing["failure"] {
  const write = writeOf(record);
  if (write === undefined) return undefined;
  const { tag, expectedVersion, inclusion } = write;
  const version = previousArtifact(run, write)?.version ?? 0;
  if (expectedVersion !== undefined && version !== expectedVersion) {
    const message = `art.${tag} was expected at version ${expectedVersion} and has version ${version}; another writer was first.`;
    return { code: "artifact_conflict", message };
  }
  if (inclusion?.template === undefined) return undefined;
  const art = valuesByTag(artifactsAfter(run, [record]));
  const rendered = defaultRenderer().render(inclusion.template, { art, value: art[tag] });
  if (rendered.ok) return undefined;
  const message = `The inclusion of art.${tag} can't be rendered: ${rendered.issues[0]?.message}`;
  return { code: "template_render_error", message: safeText(message, 512) };
}

/** Fails operations whose inserts require a trimmed anchor. Here only those operations fail. */
async function checkInserts(run: RunContext, all: readonly Committing[]): Promise<void> {
  const { prompt: trim } = run.services.limits;
  for (;;) {
    const open = all.filter(({ failure }) => failure === undefined);
    if (!open.some(({ record }) => effectsOf(record).some(mayLackPlace))) return;
    const records = open.map(({ record }) => record);
    const artifacts = artifactsAfter(run, records);
    const assembled = await fittedPrompt(run, { records, artifacts }, trim);
    const effects = promptEffectsOf(records);
    let found = 0;
    for (const { code, path, message } of assembled.ok ? [] : assembled.issues) {
      const owner = path[0] === "effects" ? effects[Number(path[1])]?.operationId : undefined;
      const committing = open.find(({ record }) => record.operation.operationId === owner);
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

function commitAll(run: RunContext, hook: Hook, all: readonly Committing[]): void {
  const operations = all.flatMap((committing): OperationTurnEffects[] => {
    const { record, failure } = committing;
    const { operationId } = record.operation;
    const effects = effectsOf(record).filter(isTurnEffect);
    const value = writeOf(record);
    if (failure !== undefined) return [];
    if (value?.persisted !== true) return effects.length > 0 ? [{ operationId, effects }] : [];
    const version = versionAfter(previousArtifact(run, value), value);
    committing.version = version;
    return [{ operationId, effects, write: { value, version } }];
  });
  if (operations.length === 0) return;
  const { runId, chatId, branchId, userMessageId } = run.input;
  run.writer.commit({
    runId,
    hook,
    chatId,
    branchId,
    userMessageId,
    operations,
    writtenAt: run.services.clock.now(),
    state: run.kept,
  });
}

function entryOf(
  { record, failure, version }: Committing,
  hook: Hook,
  discards: boolean,
): CommitLogEntry {
  const effects = effectsOf(record).map((effect): CommittedEffect => {
    if (effect.type !== "artifact.upsert") return { type: effect.type };
    const hasVersion = version !== undefined && failure === undefined && !discards;
    return { type: effect.type, tag: effect.tag, version: hasVersion ? version : undefined };
  });
  const { operationId } = record.operation;
  if (failure !== undefined) {
    const { code: errorCode, message: errorMessage } = failure;
    return { hook, operationId, commitStatus: "error", effects, errorCode, errorMessage };
  }
  return { hook, operationId, commitStatus: discards ? "discarded" : "committed", effects };
}
