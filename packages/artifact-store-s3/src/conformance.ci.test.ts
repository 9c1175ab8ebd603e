import { S3Client } from "@aws-sdk/client-s3";
import { createMemoryArtifactStore, withEncryption, type ArtifactStore } from "@ccl/artifact-store";
import { artifactStoreConformance, type ConformanceOptions } from "@ccl/artifact-store/conformance";
import { createMemoryRecords } from "@ccl/records";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openS3ArtifactStore, type S3ArtifactStoreOptions } from "./index.ts";
import { startS3TestServer, type S3TestServer } from "./testing/index.ts";
import { isAtLeast } from "../../../scripts/lengths/test-length.mjs";

let server: S3TestServer;
let client: S3Client;
beforeAll(async () => {
  server = await startS3TestServer({ maxBytes: 4 * 1024 ** 3 });
  client = new S3Client(server.clientConfig);
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

const opened = new WeakMap<ArtifactStore, S3ArtifactStoreOptions>();
let stores = 0;

async function open(options: Partial<S3ArtifactStoreOptions>): Promise<ArtifactStore> {
  stores += 1;
  const place = { prefix: `store-${stores}/`, records: createMemoryRecords() };
  const all = { ...place, ...options, client, bucket: "artifacts" };
  const store = await openS3ArtifactStore(all);
  opened.set(store, all);
  return store;
}

/** Keys of the objects that hold the bytes of an artifact. */
function bytesKeys(store: ArtifactStore, artifactId: string): string[] {
  const prefix = opened.get(store)?.prefix ?? "";
  const names = server.keys().flatMap((key) => key.split(`${prefix}blobs/${artifactId}/`)[1] ?? []);
  return names.map((name) => {
    const [, staged, random, size = ""] = name.split("-");
    return size.startsWith("s")
      ? `${prefix}data/${staged}-${random}`
      : `${prefix}blobs/${artifactId}/${name}`;
  });
}

/** Harms the copies of an artifact where they lie. */
function damage(
  store: ArtifactStore,
  artifactId: string,
  harm: { kind: "flip" | "cut"; offset: number },
): void {
  const { kind, offset } = harm;
  for (const key of bytesKeys(store, artifactId)) {
    server.damage(key, (bytes) => {
      if (kind === "cut") return bytes.slice(0, offset);
      bytes[offset] = (bytes[offset] ?? 0) ^ 1;
      return bytes;
    });
  }
}

const plain: ConformanceOptions = {
  open,
  async reopen(store, options) {
    const before = opened.get(store);
    await store.close();
    return await open({ ...before, ...options });
  },
  corrupt: async (store, artifactId, harm) => damage(store, artifactId, harm),
  async corruptHandle(store, { handleId, artifactId }) {
    const { records } = opened.get(store) ?? {};
    for (const { name, value } of (await records?.list({ prefix: "artifacts/" }))?.records ?? [])
      if (name.endsWith(`/handle/${handleId}!${artifactId}`))
        await records?.write([
          { put: name, value: String(value).replace(/"summary":"./, '"summary":"?') },
        ]);
  },
};

const key = new Uint8Array(32).fill(7);
const [headerBytes, sealBytes, segmentBytes] = [48, 16, 2 ** 20];

async function openEncrypted(options: Partial<S3ArtifactStoreOptions>): Promise<ArtifactStore> {
  const inner = await open(options);
  const store = withEncryption(inner, { key, clock: options.clock });
  const place = opened.get(inner);
  if (place !== undefined) opened.set(store, place);
  return store;
}

const encrypted: ConformanceOptions = {
  overheadBytes: headerBytes + sealBytes,
  open: openEncrypted,
  async idOf(content) {
    const store = withEncryption(createMemoryArtifactStore(), { key });
    return (await store.store(content, { source: "id" })).artifactId;
  },
  async reopen(store, options) {
    const before = opened.get(store);
    await store.close();
    return await openEncrypted({ ...before, ...options });
  },
  async corrupt(store, artifactId, { kind, offset }) {
    const place = headerBytes + offset + Math.floor(offset / segmentBytes) * sealBytes;
    damage(store, artifactId, { kind, offset: place });
  },
};

// Encryption does not know what lies below it: every change tries it over memory and SQLite, the longer runs over S3 too.
const isAtLength = isAtLeast("faults");
const kinds: [string, ConformanceOptions][] = [["a store in S3", plain]];
if (isAtLength) kinds.push(["an encrypted store in S3", encrypted]);

describe.each(kinds)("%s", (_name, options) => {
  it.each(artifactStoreConformance(options))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
