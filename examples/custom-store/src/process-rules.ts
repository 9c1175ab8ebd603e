import type { ConformanceRule } from "@ccl/artifact-store/conformance";
import assert from "node:assert/strict";

import { ArtifactStoreError } from "@ccl/artifact-store";
import { chunkBytes } from "@ccl/artifact-store/driver";

import { type BlobEntry, blobName, pieceName, pieceNames } from "./blob-entry.ts";
import type { Place } from "./open-place.ts";
import { StagedPieces } from "./staged-pieces.ts";

const source = "custom-store";
const payload = (index: number): Uint8Array => new Uint8Array(1000).fill(index);
const indexes = Array.from({ length: 40 }, (_, index) => index);

/** What the kit, which opens one store at a time, can't see: promises between stores over one place, and after a crash. */
export function createProcessRules(place: Place): ConformanceRule[] {
  const { isVanishing, setFull, crash } = place;
  const rules = [
    { name: "two stores never pass a limit together", run: () => checkLimit(place) },
    {
      name: "a put in one store that meets a collection in another keeps its bytes",
      run: () => checkRace(place),
    },
    {
      name: "a stream that fails leaves nothing to see or to collect",
      run: () => checkFailedStream(place),
    },
  ];
  if (isVanishing !== undefined) {
    rules.push({
      name: "staged bytes expire, committed ones do not",
      run: () => checkExpiry(place, isVanishing),
    });
  }
  if (setFull !== undefined) {
    rules.push({
      name: "a full server takes no new bytes and can be emptied",
      run: () => checkFull(place, setFull),
    });
  }
  if (crash !== undefined) {
    rules.push({
      name: "what was acknowledged outlives a killed server",
      run: () => checkCrash(place, crash),
    });
  }
  return rules;
}

async function checkLimit(place: Place): Promise<void> {
  const limits = { maxStoreBytes: 10_000 };
  const stores = [await place.open("limit", { limits }), await place.open("limit", { limits })];
  const puts = stores.flatMap((store, odd) =>
    indexes
      .filter((index) => index % 2 === odd)
      .map((index) => store.store(payload(index), { source })),
  );
  const outcomes = await Promise.allSettled(puts);
  const refusals = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [outcome.reason] : [],
  );
  assert.equal(outcomes.length - refusals.length, 10, "as many as fit are kept");
  for (const error of refusals) {
    assert.ok(
      ArtifactStoreError.isInstance(error) && error.code === "limit_exceeded",
      String(error),
    );
  }
  await Promise.all(stores.map((store) => store.close()));
}

async function checkRace(place: Place): Promise<void> {
  const [writer, collector] = [await place.open("race", {}), await place.open("race", {})];
  for (const index of indexes) {
    const { artifactId } = await writer.store(payload(index), { source });
    await writer.delete(artifactId);
    await Promise.all([
      writer.store(payload(index), { source }),
      collector.collectGarbage({ graceMs: 0 }),
    ]);
    assert.deepEqual(await collector.retrieve(artifactId), payload(index), "the second put stands");
  }
  await writer.close();
  await collector.close();
}

async function checkFailedStream(place: Place): Promise<void> {
  const store = await place.open("failed", {});
  async function* failing(): AsyncIterable<Uint8Array> {
    yield new Uint8Array(3 * chunkBytes);
    assert.deepEqual((await store.listHandles()).handles, [], "nothing is seen before the end");
    throw new Error("the tool died");
  }
  await assert.rejects(store.store(failing(), { source }), (error) =>
    ArtifactStoreError.isInstance(error),
  );
  assert.deepEqual(
    (await store.listHandles()).handles,
    [],
    "nothing is kept of a stream that failed",
  );
  assert.deepEqual(
    (await store.collectGarbage({ graceMs: 0 })).artifactIds,
    [],
    "nor is there anything to collect",
  );
  await store.close();
}

async function checkExpiry(
  place: Place,
  isVanishing: NonNullable<Place["isVanishing"]>,
): Promise<void> {
  const [part, database] = ["expiry", place.database("expiry")];
  const staged = new StagedPieces(database, {});
  await staged.write(new Uint8Array(1));
  assert.ok(await isVanishing(part, pieceName(staged.place, 0)), "staged bytes go by themselves");
  const store = await place.open(part, {});
  for (const content of [payload(1), new Uint8Array(2 * chunkBytes)]) {
    const { artifactId } = await store.store(content, { source });
    const [text = "{}"] = await database.get([blobName(artifactId)]);
    const { place: name, pieceCount, hasHashes }: BlobEntry = JSON.parse(text);
    for (const piece of pieceNames(name, pieceCount).slice(0, hasHashes ? undefined : -1)) {
      assert.ok(await database.getPiece(piece), `${piece} is there`);
      assert.ok(!(await isVanishing(part, piece)), "and stays");
    }
  }
  await store.close();
}

async function checkFull(place: Place, setFull: (isFull: boolean) => Promise<void>): Promise<void> {
  const store = await place.open("full", {});
  const { artifactId } = await store.store(payload(1), { source });
  await setFull(true);
  try {
    for (const content of [payload(2), new Uint8Array(2 * chunkBytes)]) {
      await assert.rejects(
        store.store(content, { source }),
        (error) => ArtifactStoreError.isInstance(error) && error.code === "disk_full",
      );
    }
    assert.deepEqual(await store.retrieve(artifactId), payload(1), "what is there is read");
    assert.equal((await store.listHandles()).handles.length, 1, "and nothing came to it");
    assert.ok(await store.delete(artifactId));
    assert.deepEqual((await store.collectGarbage({ graceMs: 0 })).artifactIds, [artifactId]);
  } finally {
    await setFull(false);
  }
  await store.close();
}

async function checkCrash(place: Place, crash: () => Promise<void>): Promise<void> {
  const store = await place.open("crash", {});
  const ids: string[] = [];
  const writing = (async () => {
    for (const index of indexes)
      ids.push((await store.store(payload(index), { source })).artifactId);
  })();
  writing.catch(() => undefined);
  while (ids.length < indexes.length / 2)
    await Promise.race([writing, new Promise((resolve) => setImmediate(resolve))]);
  const acknowledged = [...ids];
  await crash();
  await Promise.allSettled([writing]);
  const reopened = await place.open("crash", {});
  for (const id of acknowledged) assert.ok(await reopened.retrieve(id), `${id} is still there`);
  const { checked, corrupt, missing } = await reopened.verify();
  assert.deepEqual(
    { corrupt, missing },
    { corrupt: [], missing: [] },
    "and nothing is there by half",
  );
  assert.ok(checked >= acknowledged.length);
  await store.close();
  await reopened.close();
}
