import type { StoreLimits } from "@ccl/artifact-store";
import {
  hasSharedLimits,
  type ArtifactDriver,
  type BlobPut,
  type CommitOutcome,
  type DriverWriteOptions,
} from "@ccl/artifact-store/driver";
import { findBlob } from "./blobs/find-blob.ts";
import { quarantineBlob } from "./blobs/quarantine-blob.ts";
import { collectBlobs } from "./collect/collect-blobs.ts";
import { listIds } from "./collect/list-ids.ts";
import { commitPuts } from "./commit/commit-puts.ts";
import { repairBlob } from "./commit/repair-blob.ts";
import { StagedUpload } from "./blobs/staged-upload.ts";
import { handlesOf, listHandles } from "./handles/list-handles.ts";
import { removeHandles } from "./handles/remove-handles.ts";
import { commitWithinLimits } from "./limits/commit-within-limits.ts";
import type { S3Context } from "./s3-context.ts";

/** A driver over one prefix of a bucket. */
export function createS3Driver(context: S3Context): ArtifactDriver {
  // Puts of one process under limits run one after the other, because their ledger writes would only conflict.
  let last: Promise<unknown> = Promise.resolve();
  const commit = async (
    puts: readonly BlobPut[],
    options: DriverWriteOptions & { limits: StoreLimits },
  ): Promise<CommitOutcome[]> => {
    if (!hasSharedLimits(options.limits)) return await commitPuts(context, puts, options);
    const turn = last.then(() => commitWithinLimits(context, puts, options));
    last = turn.catch(() => undefined);
    return await turn;
  };
  return {
    name: "s3",
    stage: async ({ signal }) => new StagedUpload(context, signal),
    commit,
    repair: (record, content, options) => repairBlob(context, { record, content }, options),
    find: (artifactId, { signal }) => findBlob(context, artifactId, signal),
    getHandles: (artifactId, { signal }) => handlesOf(context, artifactId, signal),
    listHandles: (options) => listHandles(context, options),
    removeHandles: (artifactId, match, options) =>
      removeHandles(context, artifactId, { ...options, match }),
    collect: (options) => collectBlobs(context, options),
    listIds: (options) => listIds(context, options),
    quarantine: (artifactId) => quarantineBlob(context, artifactId),
    close: () => last.then(() => undefined),
  };
}
