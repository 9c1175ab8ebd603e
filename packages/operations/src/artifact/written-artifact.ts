import { canonicalJson } from "@ccl/core";
import { isSameJson } from "@ccl/core/json";

import { charsLeft, maxValueChars } from "./is-larger-than.ts";
import type {
  ArtifactRetention,
  ArtifactVersion,
  ArtifactWrite,
  OperationArtifact,
} from "./operation-artifact.ts";

/** Maximum number of items in a feed. */
export const maxFeedItems: number = 1_000;
const noFormerValues = Object.freeze({ maxItems: 0 });

/** Returns the write with its complete value. For an appending write, that is the stored items plus its own. */
function wholeWrite(
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

/** Returns the items that an appending write adds. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/**
 * Returns the version that a write has or will have. A persisted write that changes nothing keeps the current version.
 */
export function versionAfter(before: OperationArtifact | undefined, given: ArtifactWrite): number {
  const write = wholeWrite(given, before);
  if (!write.persisted || before?.persisted !== true) return 1;
  const isSame = contentFields.every((field) => isSameJson(before[field], write[field]));
  return isSame ? before.version : before.version + 1;
}

/** Returns the artifact after a write. Returns `before` itself if it already has that version. */
export function writtenArtifact(
  before: OperationArtifact | undefined,
  write: ArtifactWrite,
  {
    runId,
    writtenAt,
    version = versionAfter(before, write),
  }: Pick<ArtifactVersion, "runId" | "writtenAt"> & { version?: number },
): OperationArtifact {
  const { tag, persisted, usage, semantics, contentType, value, inclusion, retention } = wholeWrite(
    write,
    before,
  );
  const follows = before?.persisted === true && persisted;
  if (follows && before.version === version) return before;
  const former = follows ? [...before.history, versionOf(before)] : [];
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
    parentVersion: follows ? before.version : undefined,
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
}: OperationArtifact): ArtifactVersion {
  return Object.freeze({ version, runId, writtenAt, value, parentVersion });
}

/** The fields whose change creates a new version. */
const contentFields = [
  "usage",
  "semantics",
  "contentType",
  "inclusion",
  "retention",
  "value",
] as const;

/** Number of previous values kept by default. */
const defaultMaxItems: number = 20;

/**
 * Returns the newest previous values that the artifact's retention keeps, oldest first. Ages are measured back from
 * `writtenAt`, the time of the value that replaced them, so the result never changes. `maxBytes` counts the kept values
 * as canonical JSON.
 */
function retainHistory(
  former: readonly ArtifactVersion[],
  retention: ArtifactRetention | undefined,
  writtenAt: number,
): ArtifactVersion[] {
  const { maxItems = defaultMaxItems, maxAgeMs = Infinity, maxBytes = Infinity } = retention ?? {};
  const kept: ArtifactVersion[] = [];
  let sizeBytes = 0;
  for (const version of former.toReversed()) {
    if (kept.length >= maxItems || writtenAt - version.writtenAt > maxAgeMs) break;
    if (maxBytes !== Infinity) sizeBytes += encoder.encode(canonicalJson(version.value)).length;
    if (sizeBytes > maxBytes) break;
    kept.push(version);
  }
  return kept.reverse();
}

const encoder = new TextEncoder();
