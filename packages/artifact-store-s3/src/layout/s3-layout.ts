import { sha256Hex } from "@ccl/core";
import type { HandleKey } from "@ccl/artifact-store";
import { parseGeneration, timeToken, type Generation } from "./generation.ts";

/** The batch of a commit of one handle, which needs no object because the handle's object is the commit. */
export const noBatch = "-";

/**
 * One reference as its claim names it. `!` separates fields: it sorts before every character of a handle id, so keys
 * sort by it.
 */
export interface Claim {
  key: string;
  artifactId: string;
  handleId: string;
  /** The batch that must be committed before the handle counts, or `noBatch`. */
  batch: string;
  /** First 16 digits of the SHA-256 of the handle's source. */
  sourceKey: string;
  claimedAt: number;
  generation: Generation;
}

/** What is stored below `refs/<artifact>/`. Marks sort before claims, so the first page of a listing holds them. */
export interface ReferenceListing {
  claims: Claim[];
  /** Names of generations that were set aside. */
  damaged: Set<string>;
  /** When references of the artifact were removed. */
  endings: { key: string; at: number }[];
  condemnations: { key: string; generation: string }[];
}

/** One handle, as the name of its object or of its session's entry describes it. */
export interface HandleEntry {
  handleId: string;
  artifactId: string;
  batch: string;
  sourceKey: string;
}

/** An entry of a session, which also holds the artifact's size. */
export interface SessionEntry extends HandleEntry {
  sizeBytes: number;
}

/** Short names of sources for keys. */
export const sourceKeyOf = (source: string): string => sha256Hex(source).slice(0, 16);

export const blobPrefix = (artifactId: string): string => `blobs/${artifactId}/`;
export const blobKey = (artifactId: string, generation: string): string =>
  blobPrefix(artifactId) + generation;
export const referencePrefix = (artifactId: string): string => `refs/${artifactId}/`;
export const condemnedPrefix = (artifactId: string, generation: string): string =>
  `${referencePrefix(artifactId)}c!${generation}!`;
export const damagedKey = (artifactId: string, generation: string): string =>
  `${referencePrefix(artifactId)}d!${generation}`;
export const endingKey = (artifactId: string, at: number, random: string): string =>
  `${referencePrefix(artifactId)}e!${timeToken(at)}!${random}`;
export const claimPrefix = (artifactId: string): string => `${referencePrefix(artifactId)}h!`;
export const sessionPrefix = (sessionId: string): string => `sessions/${sha256Hex(sessionId)}/`;
export const batchKey = (batch: string): string => `batches/${batch}`;

/** Sorts after every key of this handle below `prefix`, and before those of later handles. */
export const afterHandle = (prefix: string, { handleId, artifactId }: HandleKey): string =>
  `${prefix}${handleId}!${artifactId}!~`;

export function handleKey({ handleId, artifactId, batch, sourceKey }: HandleEntry): string {
  return `handles/${handleId}!${artifactId}!${batch}!${sourceKey}`;
}

export function sessionKey(sessionId: string, entry: SessionEntry): string {
  const { handleId, batch, sourceKey, artifactId, sizeBytes } = entry;
  return `${sessionPrefix(sessionId)}${handleId}!${artifactId}!${batch}!${sourceKey}!${sizeBytes.toString(36)}`;
}

export function claimKey(claim: Omit<Claim, "key">): string {
  const { artifactId, handleId, batch, sourceKey, claimedAt, generation } = claim;
  return `${claimPrefix(artifactId)}${handleId}!${batch}!${sourceKey}!${timeToken(claimedAt)}!${generation.name}`;
}

/** The artifact that a key of `blobs/` or `refs/` belongs to. */
export function artifactIdOf(key: string): string {
  return key.split("/")[1] ?? "";
}

export function parseHandleKey(key: string): HandleEntry | undefined {
  const fields = key.slice("handles/".length).split("!");
  const [handleId = "", artifactId = "", batch = "", sourceKey] = fields;
  return sourceKey === undefined ? undefined : { handleId, artifactId, batch, sourceKey };
}

export function parseSessionKey(key: string): SessionEntry | undefined {
  const fields = (key.split("/")[2] ?? "").split("!");
  const [handleId = "", artifactId = "", batch = "", sourceKey = "", size] = fields;
  if (size === undefined) return undefined;
  return { handleId, batch, sourceKey, artifactId, sizeBytes: parseInt(size, 36) };
}

/** The generation that a key of `blobs/` names. Undefined for keys of another form. */
export function parseBlobKey(key: string): Generation | undefined {
  return parseGeneration(key.split("/")[2] ?? "");
}

/** Sorts the keys of one artifact by kind. Ignores keys of another form. */
export function parseReferences(listed: readonly { key: string }[]): ReferenceListing {
  const listing: ReferenceListing = {
    claims: [],
    damaged: new Set(),
    endings: [],
    condemnations: [],
  };
  for (const { key } of listed) {
    const [kind, ...fields] = (key.split("/")[2] ?? "").split("!");
    const [first = ""] = fields;
    if (kind === "c") listing.condemnations.push({ key, generation: first });
    if (kind === "d") listing.damaged.add(first);
    if (kind === "e") listing.endings.push({ key, at: parseInt(first, 36) });
    const claim = kind === "h" ? parseClaim(key, fields) : undefined;
    if (claim !== undefined) listing.claims.push(claim);
  }
  return listing;
}

function parseClaim(key: string, fields: readonly string[]): Claim | undefined {
  const [handleId = "", batch = "", sourceKey = "", claimed = "", name = ""] = fields;
  const generation = parseGeneration(name);
  if (generation === undefined) return undefined;
  return {
    key,
    artifactId: artifactIdOf(key),
    handleId,
    batch,
    sourceKey,
    claimedAt: parseInt(claimed, 36),
    generation,
  };
}
