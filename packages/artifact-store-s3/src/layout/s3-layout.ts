import { parseGeneration, type Generation } from "./generation.ts";

/** A written copy of a blob. */
export interface BlobCopy {
  artifactId: string;
  /** Name of the copy. */
  generation: string;
}

export const blobPrefix = (artifactId: string): string => `blobs/${artifactId}/`;
export const blobKey = (artifactId: string, generation: string): string =>
  blobPrefix(artifactId) + generation;

/** Returns the artifact that a key in `blobs/` belongs to. */
export function artifactIdOf(key: string): string {
  return key.split("/")[1] ?? "";
}

/** Parses the generation in a key of `blobs/`. Undefined if the key has another format. */
export function parseBlobKey(key: string): Generation | undefined {
  return parseGeneration(key.split("/")[2] ?? "");
}
