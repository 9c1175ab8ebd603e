import { DeleteObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { sha256Hex } from "@ccl/core";
import { createFixedClock } from "@ccl/core/testing";
import { createMemoryRecords } from "@ccl/records";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openS3ArtifactStore, type S3ArtifactStore } from "../index.ts";
import { startS3TestServer, type S3TestServer } from "../testing/index.ts";

const source = "tool:test";
const mebibyte = 1024 * 1024;
/** Kept as one object, and as a record of its hashes beside its bytes. */
const contents = {
  short: new TextEncoder().encode("some bytes"),
  long: new Uint8Array(mebibyte + 7).map((_, at) => at % 251),
};

let server: S3TestServer;
let client: S3Client;
let store: S3ArtifactStore;
const records = createMemoryRecords();
let prefix = "";
let now = 0;
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
  prefix = `store-${stores}/`;
  store = await open();
});

async function open(): Promise<S3ArtifactStore> {
  const clock = createFixedClock(Date.UTC(2030, 0, 1) + now++);
  return await openS3ArtifactStore({ client, bucket: "artifacts", records, prefix, clock });
}

const keysBelow = (name: string): string[] =>
  server.keys().filter((key) => key.startsWith(`${prefix}${name}/`));

/** Flips one bit of each of these objects. */
function damage(keys: readonly string[], at: (bytes: Uint8Array) => number): void {
  expect(keys).not.toEqual([]);
  for (const key of keys)
    server.damage(key, (bytes) => bytes.map((byte, of) => (of === at(bytes) ? byte ^ 1 : byte)));
}

async function hashRead(artifactId: string): Promise<string> {
  return sha256Hex((await store.retrieve(artifactId)) ?? "");
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => "fine",
    (error: unknown) => Object(error).code,
  );
}

const first = (): number => 0;
const last = ({ length }: Uint8Array): number => length - 1;
const kinds = ["short", "long"] as const;

describe("a copy", () => {
  it.each(kinds)("of %s content is read as it was stored, whole and in part", async (kind) => {
    const content = contents[kind];
    const { artifactId } = await store.store(content, { source });
    expect(artifactId).toBe(sha256Hex(content));
    expect(await hashRead(artifactId)).toBe(artifactId);
    const pieces: Uint8Array[] = [];
    for await (const piece of (await store.retrieveStream(artifactId)) ?? []) pieces.push(piece);
    expect(sha256Hex(Uint8Array.from(Buffer.concat(pieces)))).toBe(artifactId);
    expect(await store.verify()).toMatchObject({ damaged: [], missing: [] });
  });

  it.each([
    ["short", "blobs", "at its beginning", first],
    ["short", "blobs", "at its end", last],
    ["long", "data", "at its beginning", first],
    ["long", "data", "at its end", last],
    ["long", "blobs", "in its hashes", first],
    ["long", "blobs", "in the seal of its hashes", last],
  ] as const)("of %s content with a wrong bit in its %s %s is never given out", async (...row) => {
    const [kind, folder, , at] = row;
    const { artifactId } = await store.store(contents[kind], { source });
    damage(keysBelow(folder), at);
    expect(await codeOf(store.retrieve(artifactId))).toBe("damaged");
    expect((await store.verify()).damaged).toEqual([artifactId]);
    // Another process sees that it was set aside.
    expect(await codeOf((await open()).retrieve(artifactId))).toBe("damaged");
  });

  it.each(kinds)(
    "of %s content is replaced by storing it again, and the sound one is read",
    async (kind) => {
      const { artifactId } = await store.store(contents[kind], { source });
      damage(keysBelow(kind === "long" ? "data" : "blobs"), first);
      expect((await store.verify()).damaged).toEqual([artifactId]);
      store = await open();
      await store.store(contents[kind], { source });
      expect(await hashRead(artifactId)).toBe(artifactId);
      expect(await store.verify()).toMatchObject({ damaged: [], missing: [] });
    },
  );

  it("whose object is gone is missing, and no handle of it is forgotten", async () => {
    const handle = await store.store(contents.short, { source });
    const { artifactId } = handle;
    const [key = ""] = keysBelow("blobs");
    await client.send(new DeleteObjectCommand({ Bucket: "artifacts", Key: key }));
    expect((await store.verify()).missing).toEqual([artifactId]);
    expect(await store.getHandles(artifactId)).toEqual([handle]);
    await store.store(contents.short, { source });
    expect(await hashRead(artifactId)).toBe(artifactId);
  });
});
