import type { ByteRange, ImportedHandle, StoreItem, StoreLimits } from "../artifact-store.ts";
import { ArtifactStoreError } from "../artifact-store-error.ts";

const maxTextChars = 512;
/** Maximum length of an imported handle's summary. */
export const maxImportedSummaryChars = 65_536;
const loneSurrogate = /\p{Surrogate}/u;
// oxlint-disable-next-line no-control-regex
const forbiddenChars = /[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u;

export function invalidInput(message: string, cause?: unknown): ArtifactStoreError {
  return new ArtifactStoreError("invalid_input", message, cause === undefined ? {} : { cause });
}

/** Describes a value for an error message: strings up to 80 characters, objects only by their type. */
export function quoted(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}...` : value);
  return typeof value === "number" || value === undefined || value === null
    ? String(value)
    : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

export function isArtifactId(artifactId: unknown): artifactId is string {
  return typeof artifactId === "string" && /^[0-9a-f]{64}$/.test(artifactId);
}

/** @throws ArtifactStoreError `invalid_id` */
export function checkArtifactId(artifactId: unknown): string {
  if (isArtifactId(artifactId)) return artifactId;
  throw new ArtifactStoreError(
    "invalid_id",
    `${quoted(artifactId)} is not an artifact id, which is the SHA-256 of the content in 64 lower-case hex digits.`,
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
    `${quoted(handleId)} is not a handle id; use the handleId of a handle that the store returned.`,
  );
}

export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}

/** Checks that every backend can store the string as a key, a column or a header after encoding. */
export function checkText(name: string, value: unknown): string {
  if (typeof value !== "string" || value.length === 0 || value.length > maxTextChars) {
    throw invalidInput(
      `${name} is ${quoted(value)}; it must be a string of 1 to ${maxTextChars} characters.`,
    );
  }
  if (forbiddenChars.test(value)) {
    throw invalidInput(
      `${name} is ${quoted(value)}; remove its control characters and lone surrogates.`,
    );
  }
  return value;
}

/** Options may be left out but not be `null`. @throws ArtifactStoreError `invalid_input` */
export function checkOptions(options: { signal?: unknown } | undefined): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null) {
    throw invalidInput(`The options are ${quoted(options)}; pass an object or leave them out.`);
  }
  const { signal } = options;
  if (
    signal === undefined ||
    (typeof signal === "object" && signal !== null && "aborted" in signal)
  )
    return;
  throw invalidInput(`signal is ${quoted(signal)}; pass an AbortSignal.`);
}

/** Snapshot of the options passed with the content. */
export interface ItemFacts {
  source: string;
  mimeType: string | undefined;
  sessionId: string | undefined;
  summary: string | undefined;
  expectedId: string | undefined;
  imported: ImportedHandle | undefined;
}

/**
 * Reads each field once and checks that value, since a getter may return a different one next time.
 * @throws ArtifactStoreError `invalid_input`, `invalid_id`
 */
export function takeFacts(given: Omit<StoreItem, "content">): ItemFacts {
  if (typeof given !== "object" || given === null)
    throw invalidInput("Storing takes options with a source.");
  const { source, mimeType, sessionId, summary, expectedId, imported } = given;
  checkText("source", source);
  if (mimeType !== undefined) checkText("mimeType", mimeType);
  if (sessionId !== undefined) checkText("sessionId", sessionId);
  if (summary !== undefined && typeof summary !== "string")
    throw invalidInput("summary must be a string.");
  if (expectedId !== undefined) checkArtifactId(expectedId);
  if (imported !== undefined && summary !== undefined) {
    throw invalidInput("Give either summary or imported, which brings its own.");
  }
  const taken = imported === undefined ? undefined : takeImported(imported);
  return { source, mimeType, sessionId, summary, expectedId, imported: taken };
}

const newImports = new WeakSet<ImportedHandle>();

/**
 * Marks a handle whose creator knows that its id is new to the store. Otherwise every put by an encrypted store or a
 * copy would have to read all handles of the artifact, possibly thousands. A handle derived from another one inherits
 * its mark.
 */
export function markNew(imported: ImportedHandle, from?: ImportedHandle): ImportedHandle {
  if (from === undefined || isNew(from)) newImports.add(imported);
  return imported;
}

export function isNew(imported: ImportedHandle): boolean {
  return newImports.has(imported);
}

function takeImported(given: ImportedHandle): ImportedHandle {
  if (typeof given !== "object" || given === null)
    throw invalidInput("imported is not a handle of another store.");
  const { handleId, createdAt, summary } = given;
  checkHandleId(handleId);
  checkCount("imported.createdAt", createdAt ?? null);
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
  return markNew({ handleId, createdAt, summary }, given);
}

/** @throws ArtifactStoreError `invalid_input` */
export function checkRange(range: ByteRange | undefined): void {
  if (range === undefined) return;
  if (typeof range !== "object" || range === null)
    throw invalidInput(`range is ${quoted(range)}; pass { start, end? }.`);
  checkCount("range.start", range.start ?? null);
  checkCount("range.end", range.end);
}

/** @throws ArtifactStoreError `invalid_input` unless the value is absent or a whole number in the range */
export function checkCount(
  name: string,
  value: unknown,
  min = 0,
  max: number = Number.MAX_SAFE_INTEGER,
): void {
  const isCount = typeof value === "number" && Number.isSafeInteger(value);
  if (value === undefined || (isCount && value >= min && value <= max)) return;
  throw invalidInput(`${name} is ${quoted(value)}; pass a whole number from ${min} to ${max}.`);
}

/** @throws ArtifactStoreError `invalid_input` */
export function checkLimits(limits: StoreLimits): StoreLimits {
  const { maxArtifactBytes, maxSessionBytes, maxStoreBytes, whenFull } = limits;
  const sizes = { maxArtifactBytes, maxSessionBytes, maxStoreBytes };
  for (const [name, value] of Object.entries(sizes)) checkCount(`limits.${name}`, value);
  if (whenFull !== undefined && whenFull !== "reject" && whenFull !== "evict") {
    throw invalidInput(`limits.whenFull is ${quoted(whenFull)}; it is "reject" or "evict".`);
  }
  return { ...limits };
}
