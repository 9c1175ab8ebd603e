import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Harms the bytes of an artifact, at an offset of its content, behind the store's back. */
export async function damageBlob(
  root: string,
  artifactId: string,
  { kind, offset }: { kind: "flip" | "cut"; offset: number },
): Promise<void> {
  const file = await open(join(root, "blobs", artifactId.slice(0, 2), artifactId), "r+");
  try {
    const head = new Uint8Array(64 * 1024);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    const at = head.subarray(0, bytesRead).indexOf(0x0a) + 1 + offset;
    if (kind === "cut") return await file.truncate(at);
    const byte = new Uint8Array(1);
    await file.read(byte, 0, 1, at);
    await file.write(new Uint8Array([(byte[0] ?? 0) ^ 1]), 0, 1, at);
  } finally {
    await file.close();
  }
}

/** Changes the first letter of a handle's summary, behind the store's back. */
export async function damageHandle(
  root: string,
  { artifactId, handleId }: { artifactId: string; handleId: string },
): Promise<void> {
  const folder = join(root, "blobs", artifactId.slice(0, 2));
  const names = await readdir(folder);
  const name = names.find((one) => one.startsWith(`${artifactId}.${handleId}.`)) ?? "";
  const text = await readFile(join(folder, name), "latin1");
  await writeFile(join(folder, name), text.replace(/"summary":"./, '"summary":"?'), "latin1");
}
