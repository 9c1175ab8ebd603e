import type { BlobRecord } from "@ccl/artifact-store/driver";
import { createSha256 } from "@ccl/core/hash";
import { unless } from "@ccl/core/node";
import type { OpenFile } from "../file-system/file-system.ts";
import { readHeader } from "../layout/file-header.ts";
import {
  blobPath,
  entryPath,
  listArtifact,
  newBody,
  orderNames,
  renameIfThere,
  shardPath,
  syncNames,
  useFile,
} from "../layout/store-folder.ts";
import { putBack } from "./collect-garbage.ts";
import type { BlobContent, FsStore } from "./fs-store.ts";
import { linkFile, pinPath, removeQuietly, writeBody } from "./write-blob.ts";

/** Replaces damaged bytes. References are separate files and are not changed. */
export async function repairBlob(
  store: FsStore,
  { record, content }: { record: BlobRecord; content: BlobContent },
  { now, signal }: { now: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const { artifactId } = record;
  const pin = pinPath(store, artifactId);
  await writeBody(store, { record, content, pin }, { now });
  try {
    signal?.throwIfAborted();
    const trash = entryPath(store, newBody(store, artifactId, "trash"));
    const hadBlob = await renameIfThere(store, blobPath(store, artifactId), trash);
    await unless(["EEXIST"], linkFile(store, pin, blobPath(store, artifactId)), undefined);
    await orderNames(store, shardPath(store, artifactId));
    const damaged = (await listArtifact(store, artifactId)).filter((entry) => entry.kind === "bad");
    for (const entry of damaged) await removeQuietly(store, entryPath(store, entry));
    if (hadBlob) await removeQuietly(store, trash);
  } finally {
    await removeQuietly(store, pin);
  }
}

/** Quarantines a blob if its bytes are still damaged. Another process may have repaired it since they were read. */
export async function quarantineBlob(store: FsStore, artifactId: string): Promise<void> {
  const trash = newBody(store, artifactId, "trash");
  const path = entryPath(store, trash);
  if (!(await renameIfThere(store, blobPath(store, artifactId), path))) return;
  const isWhole = await useFile(store, path, (file) => holdsArtifact(file, artifactId)).catch(
    () => false,
  );
  if (isWhole === true) await putBack(store, trash);
  else await store.fs.rename(path, entryPath(store, { ...trash, kind: "bad" }));
  await syncNames(store, shardPath(store, artifactId));
}

async function holdsArtifact(file: OpenFile, artifactId: string): Promise<boolean> {
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
}
