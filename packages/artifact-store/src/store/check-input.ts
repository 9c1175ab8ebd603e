import type { ByteRange, ImportedHandle, StoreItem, StoreLimits } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";

const maxTextChars = 512;
const maxImportedSummaryChars = 65_536;
const loneSurrogate = /\p{Surrogate}/u;
// oxlint-disable-next-line no-control-regex
const unkept = /[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u;

export function invalidInput(message: string, cause?: unknown): ArtifactStoreError {
  return new ArtifactStoreError("invalid_input", message, cause === undefined ? {} : { cause });
}

/** A value in a message: its first 80 characters, as JSON. */
export function quoted(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}...` : value);
  return typeof value === "number" || value === undefined || value === null ? String(value) : `a ${typeof value}`;
}

export function isArtifactId(artifactId: unknown): artifactId is string {
  return typeof artifactId === "string" && /^[0-9a-f]{64}$/.test(artifactId);
}

/** @throws ArtifactStoreError `invalid_id` */
export function checkArtifactId(artifactId: unknown): string {
  if (isArtifactId(artifactId)) return artifactId;
  throw new ArtifactStoreError(
    "invalid_id",
    `${quoted(artifactId)} is no artifact id; one is the SHA-256 of the content in 64 lower-case hex digits.`,
  );
}

export function isHandleId(handleId: unknown): handleId is string {
  return typeof handleId === "string" && /^[0-9A-Za-z_-]{1,64}$/.test(handleId);
}

/** @throws ArtifactStoreError `invalid_id` */
export function checkHandleId(handleId: unknown): string {
  if (isHandleId(handleId)) return handleId;
  throw new ArtifactStoreError(
    "invalid_id",
    `${quoted(handleId)} is no handle id; use the handleId of a handle that the store returned.`,
  );
}

export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}

/** Any backend can keep what passes: as a key, a column or a header after encoding. */
export function checkText(name: string, value: unknown): string {
  if (typeof value !== "string" || value.length === 0 || value.length > maxTextChars) {
    throw invalidInput(`${name} is ${quoted(value)}; give a text of 1 to ${maxTextChars} characters.`);
  }
  if (unkept.test(value)) {
    throw invalidInput(`${name} is ${quoted(value)}; remove its control characters and lone surrogates.`);
  }
  return value;
}

/** @throws ArtifactStoreError `invalid_input`, `invalid_id` */
export function checkItem(item: Omit<StoreItem, "content">): void {
  if (typeof item !== "object" || item === null) throw invalidInput("Storing takes options with at least a source.");
  checkText("source", item.source);
  if (item.mimeType !== undefined) checkText("mimeType", item.mimeType);
  if (item.sessionId !== undefined) checkText("sessionId", item.sessionId);
  if (item.summary !== undefined && typeof item.summary !== "string") throw invalidInput("summary is not a text.");
  if (item.expectedId !== undefined) checkArtifactId(item.expectedId);
  if (item.imported !== undefined) checkImported(item.imported, item.summary);
}

function checkImported({ handleId, createdAt, summary }: ImportedHandle, givenSummary: string | undefined): void {
  checkHandleId(handleId);
  if (!Number.isSafeInteger(createdAt) || createdAt < 0) {
    throw invalidInput(`imported.createdAt is ${quoted(createdAt)}; give whole milliseconds since the epoch.`);
  }
  if (
    typeof summary !== "string" ||
    summary.length > maxImportedSummaryChars ||
    /\0/.test(summary) ||
    !isWellFormed(summary)
  ) {
    throw invalidInput(
      `imported.summary must be well-formed text of at most ${maxImportedSummaryChars} characters without NUL.`,
    );
  }
  if (givenSummary !== undefined) throw invalidInput("Give either summary or imported, which brings its own.");
}

/** @throws ArtifactStoreError `invalid_input` */
export function checkRange(range: ByteRange | undefined): void {
  if (range === undefined) return;
  for (const [name, value] of [
    ["start", range.start],
    ["end", range.end ?? 0],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw invalidInput(`range.${name} is ${quoted(value)}; give a whole number of bytes from 0 on.`);
    }
  }
}

/** A whole number from `least` to `most`, or the default where nothing is given. */
export function checkCount(
  value: number | undefined,
  { name, least, most, otherwise }: { name: string; least: number; most: number; otherwise: number },
): number {
  if (value === undefined) return otherwise;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw invalidInput(`${name} is ${quoted(value)}; give a whole number from ${least} to ${most}.`);
}

/** @throws ArtifactStoreError `invalid_input` */
export function checkLimits(limits: StoreLimits): StoreLimits {
  const { maxArtifactBytes, maxSessionBytes, maxStoreBytes, whenFull } = limits;
  for (const [name, value] of Object.entries({ maxArtifactBytes, maxSessionBytes, maxStoreBytes })) {
    checkCount(value, { name: `limits.${name}`, least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 });
  }
  if (whenFull !== undefined && whenFull !== "reject" && whenFull !== "evict") {
    throw invalidInput(`limits.whenFull is ${quoted(whenFull)}; it is "reject" or "evict".`);
  }
  return { ...limits };
}
