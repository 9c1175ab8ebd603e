import { createUuidV7Generator, systemClock, type Clock, type IdGenerator } from "@ccl/core";
import type {
  ArtifactStore,
  CollectGarbageOptions,
  RetrieveOptions,
  StoreLimits,
} from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { ArtifactDriver } from "../artifact-driver.ts";
import { CallScope } from "./call-scope.ts";
import {
  checkArtifactId,
  checkCount,
  checkHandleId,
  checkLimits,
  checkRange,
  checkText,
  invalidInput,
  quoted,
} from "./check-input.ts";
import { listPage } from "./list-page.ts";
import { OpenStreams } from "./open-streams.ts";
import { putArtifacts, takeItem, takeItems } from "./put-artifacts.ts";
import { openArtifact, readArtifact } from "./read-artifact.ts";
import { sortHandles, type StoreContext } from "./store-context.ts";
import { verifyBlobs } from "./verify-blobs.ts";

/** Options that every store has in addition to those of its backend. */
export interface ArtifactStoreOptions {
  /** No limits by default. */
  limits?: StoreLimits | undefined;
  clock?: Clock | undefined;
  /**
   * Generates handle ids of up to 64 characters of `[0-9A-Za-z_-]`, in ascending order of code units. UUIDv7 by
   * default.
   */
  ids?: IdGenerator | undefined;
}

/**
 * Builds a store on top of a driver. Adds ids, hashing, verified reads, repair, summaries, per-artifact limits and
 * errors.
 * @throws ArtifactStoreError `invalid_input` for malformed limits
 */
export function createArtifactStore(
  driver: ArtifactDriver,
  options: ArtifactStoreOptions = {},
): ArtifactStore {
  const { clock = systemClock, ids } = options;
  const limits = checkLimits(options.limits ?? {});
  const context: StoreContext = {
    driver,
    limits,
    clock,
    ids:
      ids === undefined
        ? createUuidV7Generator({ clock })
        : { next: () => checkHandleId(ids.next()) },
  };
  const scope = new CallScope(driver.name);
  const streams = new OpenStreams(scope);
  return {
    store: (content, options) =>
      scope.run(options, async () => {
        const [handle] = await putArtifacts(context, [takeItem(content, options)], options.signal);
        if (handle === undefined) throw invalidInput("Nothing was given to store.");
        return handle;
      }),
    storeMany: (items, options) =>
      scope.run(options, async () => putArtifacts(context, takeItems(items), options?.signal)),
    retrieve: (artifactId, options = {}) =>
      scope.run(options, () =>
        readArtifact(driver, { ...options, artifactId: checkRead(artifactId, options) }),
      ),
    retrieveStream: (artifactId, options = {}) =>
      scope.run(options, async () => {
        const stream = await openArtifact(driver, {
          ...options,
          artifactId: checkRead(artifactId, options),
        });
        return stream && streams.guard(stream, options.signal);
      }),
    exists: (artifactId, options) =>
      scope.run(options, async () => {
        const found = await driver.find(checkArtifactId(artifactId), { signal: options?.signal });
        return found !== undefined && !found.isQuarantined;
      }),
    getHandles: (artifactId, options) =>
      scope.run(options, async () => {
        const found = await driver.getHandles(checkArtifactId(artifactId), {
          signal: options?.signal,
        });
        const { handles, damaged } = sortHandles(found);
        if (handles.length > 0 || damaged === undefined) return handles;
        const message = `All handles of artifact ${artifactId} are damaged. Store its bytes again, and delete the handles that listHandles names as damaged.`;
        throw new ArtifactStoreError("damaged", message, { details: { artifactId } });
      }),
    listHandles: (options = {}) => scope.run(options, () => listPage(driver, options)),
    delete: (artifactId, options = {}) =>
      scope.run(options, async () => {
        const { handleId, sessionId, signal } = options;
        const match = {
          handleId: handleId !== undefined ? checkHandleId(handleId) : undefined,
          sessionId: sessionId !== undefined ? checkText("sessionId", sessionId) : undefined,
        };
        const at = { now: clock.now(), signal };
        return (await driver.removeHandles(checkArtifactId(artifactId), match, at)) > 0;
      }),
    collectGarbage: (options) => scope.run(options, () => collect(context, options)),
    verify: (options = {}) =>
      scope.run(options, async () => {
        checkCount("sample", options.sample);
        return verifyBlobs(context, options);
      }),
    close: () =>
      scope.close(async () => {
        await streams.end();
        await driver.close();
      }),
  };
}

function checkRead(artifactId: string, { range }: RetrieveOptions): string {
  checkRange(range);
  return checkArtifactId(artifactId);
}

async function collect(
  { driver, clock }: StoreContext,
  options: CollectGarbageOptions,
): ReturnType<ArtifactStore["collectGarbage"]> {
  const graceMs = options?.graceMs;
  if (typeof graceMs !== "number" || !(graceMs >= 0))
    throw invalidInput(`graceMs is ${quoted(graceMs)}; pass milliseconds from 0 on.`);
  const { artifactIds, dryRun: isDryRun = false, signal } = options;
  if (artifactIds !== undefined && !Array.isArray(artifactIds))
    throw invalidInput("artifactIds is an array of ids.");
  const freed = await driver.collect({
    until: clock.now() - graceMs,
    isDryRun,
    artifactIds: artifactIds ? artifactIds.map(checkArtifactId) : undefined,
    signal,
  });
  return {
    artifactIds: freed.map(({ artifactId }) => artifactId).sort(),
    freedBytes: freed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}
