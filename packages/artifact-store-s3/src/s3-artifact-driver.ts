import { TurnQueue } from "@ccl/core/async";
import { ArtifactStoreError } from "@ccl/artifact-store";
import { hasSharedLimits, isWholeBlob, type ArtifactDriver } from "@ccl/artifact-store/driver";
import { findBlob, openCopy } from "./blobs/find-blob.ts";
import { StagedUpload } from "./blobs/staged-upload.ts";
import { collectBlobs, listIds } from "./collect/collect-blobs.ts";
import { removeHandles } from "./collect/remove-handles.ts";
import { commitPuts } from "./commit/commit-puts.ts";
import { putEntry, readEntry } from "./entries/blob-entry.ts";
import { handlesOf, listHandles } from "./entries/handle-entries.ts";
import { isWritten } from "./entries/store-records.ts";
import type { S3Context } from "./s3-context.ts";

/** Creates a driver over one prefix of a bucket, and the records of its handles. */
export function createS3Driver(context: S3Context): ArtifactDriver {
  // All puts under limits write the same record. Puts of one process wait here instead of conflicting there.
  const turns = new TurnQueue(ArtifactStoreError);
  return {
    name: "s3",
    stage: async ({ signal }) => new StagedUpload(context, signal),
    commit: (puts, options) =>
      hasSharedLimits(options.limits)
        ? turns.run(() => commitPuts(context, puts, options), options.signal)
        : commitPuts(context, puts, options),
    async repair(record, content, options) {
      const put = { record, content, handles: [] };
      await commitPuts(context, [put], { ...options, limits: {}, isRepair: true });
    },
    find: (artifactId, { signal }) => findBlob(context, artifactId, signal),
    getHandles: (artifactId, { signal }) => handlesOf(context, artifactId, signal),
    listHandles: (options) => listHandles(context, options),
    removeHandles: (artifactId, match, options) =>
      removeHandles(context, artifactId, { ...options, match }),
    collect: (options) => collectBlobs(context, options),
    listIds: (options) => listIds(context, options),
    async quarantine(artifactId) {
      const entry = await readEntry(context, artifactId);
      if (entry.generation === "" || entry.isQuarantined) return;
      const copy = await openCopy(context, entry);
      if (copy !== undefined && (await isWholeBlob(copy, artifactId))) return;
      // If another writer was first, the copy may have been replaced.
      await isWritten(context, [putEntry(context, { ...entry, isQuarantined: true })]);
    },
    close: () => Promise.resolve(),
  };
}
