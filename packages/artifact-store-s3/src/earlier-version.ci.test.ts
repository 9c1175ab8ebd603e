import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { openS3ArtifactStore } from "./index.ts";
import { startS3TestServer } from "./testing/index.ts";
import { gunzipSync } from "node:zlib";
import { readFile } from "node:fs/promises";
import type { ArtifactHandle } from "@ccl/artifact-store";
import { expect, it } from "vitest";

const long = new Uint8Array(2 * 1024 * 1024 + 3).fill(7);

it("opens what an earlier version wrote, and reads, deletes and collects it", async () => {
  const packed = await readFile(new URL("__fixtures__/earlier-version.json.gz", import.meta.url));
  const { handles, files }: { handles: ArtifactHandle[]; files: Record<string, string> } =
    JSON.parse(gunzipSync(packed).toString("utf8"));
  const server = await startS3TestServer();
  const client = new S3Client(server.clientConfig);
  for (const [Key, bytes] of Object.entries(files))
    await client.send(
      new PutObjectCommand({ Bucket: "artifacts", Key, Body: Buffer.from(bytes, "base64") }),
    );
  const limits = { maxStoreBytes: 2 ** 26, maxSessionBytes: 2 ** 25 };
  const store = await openS3ArtifactStore({ client, bucket: "artifacts", prefix: "p/", limits });
  try {
    expect(await store.listHandles()).toEqual({ handles });
    const ids = new Set(handles.map(({ artifactId }) => artifactId));
    expect(await store.verify()).toEqual({ checked: ids.size, corrupt: [], missing: [] });
    const streamed = handles.find(({ sizeBytes }) => sizeBytes === long.length);
    const bytes = await store.retrieve(streamed?.artifactId ?? "");
    expect(bytes !== undefined && Buffer.compare(bytes, long)).toBe(0);
    expect((await store.collectGarbage({ graceMs: 0 })).artifactIds).toHaveLength(1);
    const again = await store.store("one", { source: "tool:new", sessionId: "s1" });
    expect(await store.getHandles(again.artifactId)).toHaveLength(3);
    for (const artifactId of ids) expect(await store.delete(artifactId)).toBe(true);
    expect((await store.collectGarbage({ graceMs: 0 })).artifactIds).toHaveLength(ids.size);
    expect(await store.listHandles()).toEqual({ handles: [] });
  } finally {
    await store.close();

    client.destroy();
    await server.close();
  }
});
