import { isArtifactEffect } from "../effects/is-effect-of.ts";
import type { ArtifactWrite, OperationArtifact } from "../artifact/operation-artifact.ts";
import { retainHistory } from "../artifact/retain-history.ts";
import { hasSameContent } from "../artifact/same-content.ts";
import { charsLeft } from "../effects/is-larger-than.ts";
import { maxValueChars } from "../artifact/max-value-chars.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import type { PlannedOperation } from "./plan-run.ts";

/** Artifacts by tag; frozen. */
export type ArtifactMap = Readonly<Record<string, OperationArtifact>>;

/** An object with the keys as they are, whatever they are called. */
export function toArtifactMap(artifacts: Iterable<OperationArtifact>): ArtifactMap {
  const entries = [...artifacts].map((artifact): [string, OperationArtifact] => [
    artifact.tag,
    artifact,
  ]);
  return Object.freeze(Object.fromEntries(entries));
}

/** What a write follows: the stored value, or for a `run_only` one whatever the tag holds. */
export function formerOf(
  { artifacts, persisted }: { artifacts: ArtifactMap; persisted: ArtifactMap },
  write: ArtifactWrite,
): OperationArtifact | undefined {
  const known = write.persisted ? persisted : artifacts;
  return Object.hasOwn(known, write.tag) ? known[write.tag] : undefined;
}

const maxFeedItems = 1_000;
const noFormerValues = Object.freeze({ maxItems: 0 });

/** The write with its whole value: of one that appends, what the artifact holds and then its own. */
export function wholeWrite(
  { append, ...write }: ArtifactWrite,
  before: OperationArtifact | undefined,
): ArtifactWrite {
  if (append !== true) return write;
  const items = [...itemsOf(before?.value ?? []), ...itemsOf(write.value)];
  let from = items.length;
  for (let left = maxValueChars; from > 0 && items.length - from < maxFeedItems; from -= 1) {
    left = charsLeft(items[from - 1], left - 1);
    if (left < 0) break;
  }
  const retention = write.retention ?? (write.persisted ? noFormerValues : undefined);
  return { ...write, value: Object.freeze(items.slice(from)), retention };
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** True for a persisted write that adds no version: the head has the same content. */
export function isUnchanged(
  before: OperationArtifact | undefined,
  write: ArtifactWrite,
  head: number | undefined,
): boolean {
  return (
    before?.persisted === true &&
    write.persisted &&
    before.version === head &&
    hasSameContent(before, write)
  );
}

/** The artifact after a write, with the version that it has or is going to have. */
export function writtenArtifact(
  before: OperationArtifact | undefined,
  write: ArtifactWrite,
  { runId, writtenAt, version }: { runId: string; writtenAt: number; version: number },
): OperationArtifact {
  const { tag, persisted, usage, semantics, contentType, value, inclusion, retention } = write;
  const former =
    before === undefined || !persisted || !before.persisted
      ? []
      : [...before.history, versionOf(before)];
  return Object.freeze({
    tag,
    persisted,
    usage,
    semantics,
    contentType,
    value,
    version,
    runId,
    writtenAt,
    parentVersion: former.length > 0 ? (before?.version ?? 0) : undefined,
    inclusion,
    retention,
    history: Object.freeze(retainHistory(former, retention, writtenAt)),
  });
}

function versionOf({
  version,
  runId,
  writtenAt,
  value,
  parentVersion,
}: OperationArtifact): OperationArtifact["history"][number] {
  return Object.freeze({
    version,
    runId,
    writtenAt,
    value,
    parentVersion,
  });
}

/** All that an operation depends on, directly or not, in commit order. */
export function ancestorsOf(operations: readonly PlannedOperation[], index: number): number[] {
  const found = new Set<number>();
  const waiting = [...(operations[index]?.dependencies ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    for (const dependency of operations[next]?.dependencies ?? [])
      if (!found.has(dependency)) waiting.push(dependency);
  }
  return [...found].sort((left, right) => left - right);
}

/** The one write among an operation's effects. */
export function writeOf(effects: readonly OperationEffect[]): ArtifactWrite | undefined {
  return effects.find(isArtifactEffect);
}
