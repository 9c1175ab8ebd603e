import { charsLeft } from "./is-larger-than.ts";
import { maxValueChars } from "./max-value-chars.ts";
import type { ArtifactVersion, ArtifactWrite, OperationArtifact } from "./operation-artifact.ts";
import { retainHistory } from "./retain-history.ts";
import { hasSameContent } from "./same-content.ts";

/** How many items a feed may hold. */
export const maxFeedItems: number = 1_000;
const noFormerValues = Object.freeze({ maxItems: 0 });

/** The write with its whole value. If it appends, that is the stored items and then its own. */
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

/** The items that an appending write adds. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/**
 * The version that a write has or is going to have. A persisted write that changes nothing keeps the former version.
 */
export function versionAfter(before: OperationArtifact | undefined, write: ArtifactWrite): number {
  if (!write.persisted || before?.persisted !== true) return 1;
  return hasSameContent(before, write) ? before.version : before.version + 1;
}

/** The artifact after a write. Returns `before` itself if it has that version already. */
export function writtenArtifact(
  before: OperationArtifact | undefined,
  write: ArtifactWrite,
  { runId, writtenAt, version }: Pick<ArtifactVersion, "runId" | "writtenAt" | "version">,
): OperationArtifact {
  const { tag, persisted, usage, semantics, contentType, value, inclusion, retention } = write;
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
