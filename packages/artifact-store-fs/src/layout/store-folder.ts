import { ArtifactStoreError } from "@ccl/artifact-store";
import type { Durability } from "@ccl/core/node";
import { join } from "node:path";
import { systemCode } from "@ccl/core/node";
import type { FileSystem } from "../file-system/file-system.ts";
import type { Owner } from "../owner.ts";
import { parseEntryName, type ShardEntry } from "./entry-name.ts";

/** Files that are worked on at the same time. */
export const filesAtOnce = 8;

/** One opened store: where its files lie, and how they are written. */
export interface StoreFolder {
  fs: FileSystem;
  root: string;
  durability: Durability;
  owner: Owner;
}

/** The two digits that name the folders of blobs. */
export const shardNames: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, "0"),
);

const inner = ["blobs", "staging", "batches", "owners"] as const;

/** One of the folders below the root. */
export function folderPath(store: StoreFolder, name: (typeof inner)[number]): string {
  return join(store.root, name);
}

/** The folder that an artifact's files lie in. */
export function shardPath(store: StoreFolder, artifactId: string): string {
  return join(store.root, "blobs", artifactId.slice(0, 2));
}

/** The file of a blob. */
export function blobPath(store: StoreFolder, artifactId: string): string {
  return join(shardPath(store, artifactId), artifactId);
}

/**
 * Makes the folders that are missing. Where nothing may be written an existing store can still be read.
 * @throws ArtifactStoreError `unsupported` where a link or a file stands in the place of a folder
 */
export async function prepareFolders(store: StoreFolder): Promise<void> {
  const { fs, root, durability } = store;
  const blobs = folderPath(store, "blobs");
  const outer = (await fs.listKinds(root)) ?? new Map();
  const kinds = new Map(inner.map((name) => [join(root, name), outer.get(name)]));
  const shards = (outer.get("blobs") === "folder" && (await fs.listKinds(blobs))) || new Map();
  for (const name of shardNames) kinds.set(join(blobs, name), shards.get(name));
  const strange = [...kinds].find(([, kind]) => kind !== undefined && kind !== "folder");
  if (strange !== undefined) {
    throw new ArtifactStoreError(
      "unsupported",
      `"${strange[0]}" is no folder; links inside a store are not followed.`,
    );
  }
  const missing = [...kinds.keys()].filter((path) => kinds.get(path) === undefined);
  try {
    for (const path of missing) await fs.makeFolder(path);
    if (durability !== "full") return;
    // Also what an earlier process made may not have reached the disk yet.
    for (const path of [blobs, root, join(root, "..")]) await fs.syncFolder(path);
  } catch (error) {
    const isReadOnly = /^(?:EACCES|EPERM|EROFS)$/.test(systemCode(error) ?? "");
    if (!isReadOnly || kinds.get(blobs) === undefined) throw error;
  }
}

/** What a folder of blobs holds. */
export async function listShard(store: StoreFolder, folder: string): Promise<ShardEntry[]> {
  const names = await store.fs.list(folder);
  return names.map(parseEntryName).filter((entry) => entry !== undefined);
}

/** What there is of one artifact. */
export async function listArtifact(store: StoreFolder, artifactId: string): Promise<ShardEntry[]> {
  const names = await store.fs.list(shardPath(store, artifactId));
  return names
    .filter((name) => name.startsWith(artifactId))
    .map(parseEntryName)
    .filter((entry) => entry !== undefined);
}

/** Makes the names in a folder durable before others that rely on them: nothing is torn, even where the latest may be lost. */
export async function orderNames(store: StoreFolder, folder: string): Promise<void> {
  if (store.durability !== "off") await store.fs.syncFolder(folder);
}

/** Makes the names in a folder durable before a call resolves, where the store promises that. */
export async function syncNames(store: StoreFolder, folder: string): Promise<void> {
  if (store.durability === "full") await store.fs.syncFolder(folder);
}
