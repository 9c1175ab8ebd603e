import type { BlobRecord } from "@ccl/artifact-store/driver";
import { createSha256 } from "@ccl/core/hash";
import { join } from "node:path";
import { unless } from "@ccl/core/node";
import { bodyName, entryName } from "../layout/entry-name.ts";
import { readHeader } from "../layout/file-header.ts";
import {
  blobPath,
  listArtifact,
  orderNames,
  shardPath,
  syncNames,
} from "../layout/store-folder.ts";
import { putBack } from "./collect-garbage.ts";
import type { BlobContent, FsStore } from "./fs-store.ts";
import { linkFile, pinPath, removeQuietly, writeBody } from "./write-blob.ts";

/** Replaces damaged bytes. References are separate files and stay as they are. */
export async function repairBlob(
  store: FsStore,
  { record, content }: { record: BlobRecord; content: BlobContent },
  { now, signal }: { now: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const { artifactId } = record;
  const folder = shardPath(store, artifactId);
  const pin = pinPath(store, artifactId);
  await writeBody(store, { record, content, pin }, { now });
  try {
    signal?.throwIfAborted();
    const trash = join(folder, bodyName(artifactId, store.owner.nextToken(), "trash"));
    const renaming = unless(
      ["ENOENT"],
      store.fs.rename(blobPath(store, artifactId), trash),
      "gone",
    );
    const hadBlob = (await renaming) !== "gone";
    await unless(["EEXIST"], linkFile(store, pin, blobPath(store, artifactId)), undefined);
    await orderNames(store, folder);
    const damaged = (await listArtifact(store, artifactId)).filter((entry) => entry.kind === "bad");
    for (const entry of damaged) await removeQuietly(store, join(folder, entryName(entry)));
    if (hadBlob) await removeQuietly(store, trash);
  } finally {
    await removeQuietly(store, pin);
  }
}

/** Sets a blob aside if its bytes are still damaged. Another process may have repaired it since they were read. */
export async function quarantineBlob(store: FsStore, artifactId: string): Promise<void> {
  const folder = shardPath(store, artifactId);
  const trash = { kind: "trash" as const, artifactId, token: store.owner.nextToken() };
  const path = join(folder, entryName(trash));
  const renaming = store.fs.rename(blobPath(store, artifactId), path);
  if ((await unless(["ENOENT"], renaming, "gone")) === "gone") return;
  if (await isWhole(store, path, artifactId)) await putBack(store, folder, trash);
  else await store.fs.rename(path, join(folder, bodyName(artifactId, trash.token, "bad")));
  await syncNames(store, folder);
}

async function isWhole(store: FsStore, path: string, artifactId: string): Promise<boolean> {
  const file = await store.fs.open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const found = await readHeader(file);
    if (found === undefined) return false;
    const hash = createSha256();
    const buffer = new Uint8Array(256 * 1024);
    for (let at = 0; at < found.header.sizeBytes;) {
      const part = buffer.subarray(0, Math.min(buffer.length, found.header.sizeBytes - at));
      const bytesRead = await file.read(part, found.contentOffset + at);
      if (bytesRead === 0) return false;
      hash.update(part.subarray(0, bytesRead));
      at += bytesRead;
    }
    return hash.digestHex() === artifactId;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
