import { S3Client } from "@aws-sdk/client-s3";
import { chunkBytes } from "@ccl/artifact-store/driver";
import { sha256Hex, systemClock } from "@ccl/core";
import { createMemoryRecords } from "@ccl/records";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { S3Bucket } from "../bucket/s3-bucket.ts";
import type { ArtifactDriver } from "@ccl/artifact-store/driver";
import { claimBucket } from "../claim-bucket.ts";
import { openS3ArtifactStore, type S3ArtifactStore } from "../index.ts";
import { createS3Driver } from "../s3-artifact-driver.ts";
import type { S3Context } from "../s3-context.ts";
import { startS3TestServer, type S3TestServer } from "../testing/index.ts";
import { readEntry } from "../entries/blob-entry.ts";
import { findBlob } from "./find-blob.ts";

const contents = {
  short: new TextEncoder().encode("some bytes"),
  long: new Uint8Array(chunkBytes + 7).map((_, at) => at % 251),
};

let server: S3TestServer;
let client: S3Client;
let store: S3ArtifactStore;
let context: S3Context;
let driver: ArtifactDriver;
let stores = 0;
beforeAll(async () => {
  server = await startS3TestServer();
  client = new S3Client({ ...server.clientConfig, maxAttempts: 1 });
});
afterAll(async () => {
  client.destroy();
  await server.close();
});
beforeEach(async () => {
  stores += 1;
  const records = createMemoryRecords();
  const place = { client, bucket: "artifacts", records, prefix: `store-${stores}/` };
  store = await openS3ArtifactStore({ ...place, partSizeBytes: 5 * 2 ** 20 });
  const bucket = new S3Bucket(place);
  context = {
    bucket,
    records,
    root: await claimBucket(bucket, records),
    clock: systemClock,
    partBytes: 5 * 2 ** 20,
    abandonedAfterMs: 60_000,
  };
  driver = createS3Driver(context);
});

const keysWith = (part: string): string[] =>
  server.keys().filter((key) => key.startsWith(context.bucket.prefix) && key.includes(part));

function change(folder: string, by: (bytes: Uint8Array) => Uint8Array): void {
  const [key = "", ...others] = keysWith(`/${folder}/`);
  expect(others).toEqual([]);
  server.damage(key, by);
}

const flip = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte));
const cut = (bytes: Uint8Array): Uint8Array => bytes.slice(0, -1);

describe("a copy", () => {
  it.each([
    ["short", undefined, undefined, 0],
    ["short", "blobs", flip, 1],
    ["short", "blobs", cut, 1],
    ["long", undefined, undefined, 0],
    ["long", "data", flip, 1],
    ["long", "data", cut, 1],
    ["long", "blobs", flip, 1],
    ["long", "blobs", cut, 1],
  ] as const)("of %s content is set aside only where it is damaged: %s", async (...row) => {
    const [kind, folder, harm, marks] = row;
    const { artifactId } = await store.store(contents[kind], { source: "test" });
    if (folder !== undefined) change(folder, harm);
    for (let again = 0; again < 2; again++) {
      await driver.quarantine(artifactId);
      expect((await readEntry(context, artifactId)).isQuarantined).toBe(marks > 0);
    }
    const found = await findBlob(context, artifactId);
    expect(found?.isQuarantined).toBe(marks > 0);
    expect(found?.record).toMatchObject({ artifactId, sizeBytes: contents[kind].length });
  });

  it("is read by its chunks, the last one to its end", async () => {
    const { artifactId } = await store.store(contents.long, { source: "test" });
    const found = await findBlob(context, artifactId);
    const read = async (from: number, to: number): Promise<string> => {
      const pieces: Uint8Array[] = [];
      for await (const piece of found?.read(from, to) ?? []) pieces.push(piece);
      return sha256Hex(Uint8Array.from(Buffer.concat(pieces)));
    };
    expect(await read(0, 1)).toBe(sha256Hex(contents.long.subarray(0, chunkBytes)));
    expect(await read(1, 2)).toBe(sha256Hex(contents.long.subarray(chunkBytes)));
    expect(await read(0, 2)).toBe(artifactId);
    expect(found?.record.chunkHashes.length).toBe(2 * 32);
  });

  it("that is taken away between the listing and the read is looked for again, but not for ever", async () => {
    const { artifactId } = await store.store(contents.short, { source: "test" });
    const fault = { operation: "GetObject", key: "blobs/" } as const;
    const action = { kind: "error", status: 404, code: "NoSuchKey" } as const;
    server.fail({ ...fault, action });
    expect((await findBlob(context, artifactId))?.isQuarantined).toBe(false);
    const lift = server.fail({ ...fault, action, times: Infinity });
    expect(await findBlob(context, artifactId)).toBeUndefined();
    lift();
    expect(await findBlob(context, sha256Hex("nothing"))).toBeUndefined();
  });

  it("of which no handle counts is not read", async () => {
    const { artifactId } = await store.store(contents.short, { source: "test" });
    await store.delete(artifactId);
    expect(await findBlob(context, artifactId)).toBeUndefined();
  });

  it("of content in several parts is written once, under the name that it was staged with", async () => {
    const pieces = Array.from({ length: 6 }, (_, at) => new Uint8Array(2 ** 20).fill(at));
    async function* content(): AsyncGenerator<Uint8Array> {
      yield* pieces;
    }
    const { artifactId } = await store.store(content(), { source: "test" });
    expect(artifactId).toBe(sha256Hex(Uint8Array.from(Buffer.concat(pieces))));
    expect(keysWith("/data/")).toHaveLength(1);
    expect(server.uploads()).toEqual([]);
    await driver.quarantine(artifactId);
    expect((await readEntry(context, artifactId)).isQuarantined).toBe(false);
  });
});
