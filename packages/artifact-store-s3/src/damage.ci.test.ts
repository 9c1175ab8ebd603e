import { DeleteObjectCommand, GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { createMemoryRecords } from "@ccl/records";
import { expect, it } from "vitest";
import { fillStore, tryDamages } from "../../../scripts/damage/artifact-damages.mjs";
import { byLength, isAtLeast } from "../../../scripts/lengths/test-length.mjs";
import { openS3ArtifactStore } from "./index.ts";
import { startS3TestServer } from "./testing/index.ts";

const runs = byLength({ ci: 15, faults: 1_000 });

it(
  "returns no wrong byte of damaged objects, and everything of the others",
  { timeout: runs * 20_000 },
  async () => {
    const server = await startS3TestServer();
    const client = new S3Client(server.clientConfig);
    const written = createMemoryRecords();
    try {
      // Each damage begins with the records as they were written.
      const open = async (): ReturnType<typeof openS3ArtifactStore> => {
        const records = createMemoryRecords();
        const found = (await written.list({ limit: 1_000 })).records;
        await records.write(found.map(({ name, value }) => ({ put: name, value })));
        return openS3ArtifactStore({ client, records, bucket: "artifacts" });
      };
      const filled = await fillStore(
        await openS3ArtifactStore({ client, records: written, bucket: "artifacts" }),
      );
      const files = new Map<string, Buffer>();
      for (const Key of server.keys()) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: "artifacts", Key }));
        files.set(Key, Buffer.from((await Body?.transformToByteArray()) ?? []));
      }
      const counts = await tryDamages({
        files,
        filled,
        runs,
        async open(changed) {
          for (const Key of server.keys().filter((key) => !changed.has(key)))
            await client.send(new DeleteObjectCommand({ Bucket: "artifacts", Key }));
          for (const [key, bytes] of changed) server.damage(key, () => new Uint8Array(bytes));
          return open();
        },
      });
      if (isAtLeast("faults")) console.log("S3:", counts);
      expect(counts).toMatchObject({ notOpened: 0, unseen: 0, wrongContents: 0, wrongHandles: 0 });
      expect(counts).toMatchObject({ mostContents: 1, mostHandles: 0 });
      expect(counts.reported).toBeGreaterThan(0);
    } finally {
      client.destroy();
      await server.close();
    }
  },
);
