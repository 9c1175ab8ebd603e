import { parseGeneration, type Generation } from "./generation.ts";

/** One written copy of a blob. */
export interface BlobCopy {
  artifactId: string;
  /** Name of the copy. */
  generation: string;
}

export const blobPrefix = (artifactId: string): string => `blobs/${artifactId}/`;
export const blobKey = (artifactId: string, generation: string): string =>
  blobPrefix(artifactId) + generation;

/** The artifact that a key of `blobs/` belongs to. */
export function artifactIdOf(key: string): string {
  return key.split("/")[1] ?? "";
}

/** The generation that a key of `blobs/` names. Undefined for keys of another form. */
export function parseBlobKey(key: string): Generation | undefined {
  return parseGeneration(key.split("/")[2] ?? "");
}
