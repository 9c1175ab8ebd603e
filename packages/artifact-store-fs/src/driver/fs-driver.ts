import { hasSharedLimits, type ArtifactDriver } from "@ccl/artifact-store/driver";
import { prepareFolders, type StoreFolder } from "../layout/store-folder.ts";
import { Batches } from "./batches.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { commitPuts } from "./commit-puts.ts";
import type { FsStore } from "./fs-store.ts";
import { commitWithinLimits } from "./limits.ts";
import { repairBlob, quarantineBlob } from "./repair-blob.ts";
import { findBlob } from "./open-body.ts";
import { handlesOf, listHandles, listIds, removeHandles } from "./references.ts";
import { StagedFile } from "./staged-file.ts";
import { Lease, sweep, sweepAfterCrash } from "./sweep.ts";

/** Opens a driver over a folder, which is created if missing. */
export async function openFsDriver(folder: StoreFolder): Promise<ArtifactDriver> {
  await prepareFolders(folder);
  const store: FsStore = { ...folder, batches: new Batches(folder) };
  await sweepAfterCrash(store);
  const lease = new Lease(store);
  return {
    name: "fs",
    async stage() {
      await lease.take();
      return StagedFile.create(store);
    },
    async commit(puts, { limits, ...options }) {
      await lease.take();
      const commit = (): ReturnType<typeof commitPuts> => commitPuts(store, puts, options);
      return hasSharedLimits(limits)
        ? commitWithinLimits(store, { puts, limits, commit }, options)
        : commit();
    },
    async repair(record, content, options) {
      await lease.take();
      await repairBlob(store, { record, content }, options);
    },
    find: (artifactId) => findBlob(store, artifactId),
    getHandles: (artifactId) => handlesOf(store, artifactId),
    listHandles: (options) => listHandles(store, options),
    removeHandles: (artifactId, match, { now }) =>
      removeHandles(store, artifactId, { ...match, now }),
    async collect(options) {
      if (options.isDryRun) return collectGarbage(store, options);
      await lease.take();
      const freed = await collectGarbage(store, options);
      if (options.artifactIds === undefined) await sweep(store);
      return freed;
    },
    listIds: (options) => listIds(store, options),
    async quarantine(artifactId) {
      await lease.take();
      await quarantineBlob(store, artifactId);
    },
    close: () => lease.release(),
  };
}
