import type { ArtifactHandle } from "@ccl/artifact-store";
import { sha256Hex } from "@ccl/core";

/** A reference as described by its file name, so that listings need not open files that do not match. */
export interface ReferenceEntry {
  kind: "reference";
  artifactId: string;
  handleId: string;
  sessionKey: string;
  sourceKey: string;
  sizeBytes: number;
  /** The batch that the reference belongs to. It counts once that batch is done. */
  batch?: string | undefined;
}

/**
 * A blob, a blob that a collector has hidden (`trash`), a quarantined blob (`bad`), or a reference that is being
 * created and protects the artifact from collectors (`pin`).
 */
export interface BodyEntry {
  kind: "blob" | "trash" | "bad" | "pin";
  artifactId: string;
  /** The token of the process that created it. Empty for a blob. */
  token: string;
}

/** A file in one of the blob folders. */
export type ShardEntry = ReferenceEntry | BodyEntry;

/** Returns a short key for a session or source, for use in file names. */
export function nameKey(text: string | undefined): string {
  return text === undefined ? "-" : sha256Hex(text).slice(0, 16);
}

const idPattern = /^[0-9a-f]{64}$/;

/** Parses a name in a blob folder. Undefined if the file is not the store's. */
export function parseEntryName(name: string): ShardEntry | undefined {
  const [artifactId = "", ...parts] = name.split(".");
  if (!idPattern.test(artifactId)) return undefined;
  const kind = parts.pop();
  if (kind === undefined) return { kind: "blob", artifactId, token: "" };
  const [first = "", sessionKey = "", sourceKey = "", size = "", batch] = parts;
  if (kind === "trash" || kind === "bad" || kind === "pin") {
    return parts.length === 1 ? { kind, artifactId, token: first } : undefined;
  }
  if (kind !== "ref" || parts.length < 4 || parts.length > 5 || !/^[0-9a-z]+$/.test(size))
    return undefined;
  const sizeBytes = Number.parseInt(size, 36);
  return {
    kind: "reference",
    artifactId,
    handleId: first,
    sessionKey,
    sourceKey,
    sizeBytes,
    batch,
  };
}

/** Returns the entry of a handle's reference. */
export function referenceOf(handle: ArtifactHandle, batch: string | undefined): ReferenceEntry {
  const { artifactId, handleId, sizeBytes, sessionId, source } = handle;
  const keys = { sessionKey: nameKey(sessionId), sourceKey: nameKey(source) };
  return { kind: "reference", artifactId, handleId, ...keys, sizeBytes, batch };
}

/**
 * Returns `<artifact>.<handle>.<session>.<source>.<size>[.<batch>].ref`, `<artifact>.<token>.<kind>`, or a blob's id.
 */
export function entryName(entry: ShardEntry): string {
  if (entry.kind === "blob") return entry.artifactId;
  if (entry.kind !== "reference") return `${entry.artifactId}.${entry.token}.${entry.kind}`;
  const { artifactId, handleId, sessionKey, sourceKey, sizeBytes, batch } = entry;
  const parts = [artifactId, handleId, sessionKey, sourceKey, sizeBytes.toString(36)];
  return [...parts, ...(batch === undefined ? [] : [batch]), "ref"].join(".");
}

/** True for a reference, even if it does not count. */
export function isReference(entry: ShardEntry): entry is ReferenceEntry {
  return entry.kind === "reference";
}
