import { ArtifactStoreError } from "@ccl/artifact-store";
import type { Durability } from "@ccl/core/node";
import { join } from "node:path";
import { systemCode, unless } from "@ccl/core/node";
import type { FileSystem, OpenFile } from "../file-system/file-system.ts";
import type { Owner } from "../owner.ts";
import { type BodyEntry, entryName, parseEntryName, type ShardEntry } from "./entry-name.ts";

/** Number of files to process concurrently. */
export const filesAtOnce = 8;

/** An open store: where its files are and how they are written. */
export interface StoreFolder {
  fs: FileSystem;
  root: string;
  durability: Durability;
  owner: Owner;
}

/** Names of the blob folders: two digits each. */
export const shardNames: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, "0"),
);

const inner = ["blobs", "staging", "batches", "owners"] as const;

/** Returns the path of a folder below the root. */
export function folderPath(store: StoreFolder, name: (typeof inner)[number]): string {
  return join(store.root, name);
}

/** Returns the folder that contains an artifact's files. */
export function shardPath(store: StoreFolder, artifactId: string): string {
  return join(store.root, "blobs", artifactId.slice(0, 2));
}

/** Returns the path of a blob's file. */
export function blobPath(store: StoreFolder, artifactId: string): string {
  return join(shardPath(store, artifactId), artifactId);
}

/** Returns the path of an entry's file. */
export function entryPath(store: StoreFolder, entry: ShardEntry): string {
  return join(shardPath(store, entry.artifactId), entryName(entry));
}

/** Creates a new name for a file of an artifact that is not its blob. */
export function newBody(
  { owner }: StoreFolder,
  artifactId: string,
  kind: "trash" | "pin",
): BodyEntry {
  return { kind, artifactId, token: owner.nextToken() };
}

/** Removes a file. False if it is gone. */
export function unlinkIfThere({ fs }: StoreFolder, path: string): Promise<boolean> {
  return unless(
    ["ENOENT"],
    fs.unlink(path).then(() => true),
    false,
  );
}

/** Renames a file. False if it is gone. */
export function renameIfThere({ fs }: StoreFolder, from: string, to: string): Promise<boolean> {
  return unless(
    ["ENOENT"],
    fs.rename(from, to).then(() => true),
    false,
  );
}

/** Opens a file for one use. Undefined if it is gone. */
export async function useFile<Value>(
  { fs }: StoreFolder,
  path: string,
  use: (file: OpenFile) => Promise<Value>,
): Promise<Value | undefined> {
  const file = await unless(["ENOENT"], fs.open(path), undefined);
  try {
    return file && (await use(file));
  } finally {
    await file?.close();
  }
}

/**
 * Creates the missing folders. An existing store can be read without write permission.
 * @throws ArtifactStoreError `unsupported` if a link or a file has the name of a folder
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
      `"${strange[0]}" is not a folder; links inside a store are not followed.`,
    );
  }
  const missing = [...kinds.keys()].filter((path) => kinds.get(path) === undefined);
  try {
    for (const path of missing) await fs.makeFolder(path);
    if (durability !== "full") return;
    // An earlier process may have created these without syncing them.
    for (const path of [blobs, root, join(root, "..")]) await fs.syncFolder(path);
  } catch (error) {
    const isReadOnly = /^(?:EACCES|EPERM|EROFS)$/.test(systemCode(error) ?? "");
    if (!isReadOnly || kinds.get(blobs) === undefined) throw error;
  }
}

/** Lists the entries of a blob folder. */
export async function listShard(store: StoreFolder, folder: string): Promise<ShardEntry[]> {
  const names = await store.fs.list(folder);
  return names.map(parseEntryName).filter((entry) => entry !== undefined);
}

/** Lists the entries of one artifact. */
export async function listArtifact(store: StoreFolder, artifactId: string): Promise<ShardEntry[]> {
  const names = await store.fs.list(shardPath(store, artifactId));
  return names
    .filter((name) => name.startsWith(artifactId))
    .map(parseEntryName)
    .filter((entry) => entry !== undefined);
}

/** Makes names durable before others that depend on them, so that losing the latest names leaves nothing incomplete. */
export async function orderNames(store: StoreFolder, folder: string): Promise<void> {
  if (store.durability !== "off") await store.fs.syncFolder(folder);
}

/** Makes names durable before a call resolves, if the store promises that. */
export async function syncNames(store: StoreFolder, folder: string): Promise<void> {
  if (store.durability === "full") await store.fs.syncFolder(folder);
}
