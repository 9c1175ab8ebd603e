import { randomHex } from "@ccl/core/hash";

/**
 * A written copy of a blob. Its name is never reused, so a delayed removal cannot affect another copy. The name is
 * `<time>-<staged time>-<random>-<kind><size>` with numbers in base 36 and padded times, so that names sort by time.
 */
export interface Generation {
  name: string;
  /** Time of the commit by the store's clock. */
  committedAt: number;
  sizeBytes: number;
  /** Key of the bytes if they are not in the blob object itself. Set for everything longer than one chunk. */
  dataKey?: string | undefined;
}

const pattern = /^([0-9a-z]{9})-([0-9a-z]{9})-([0-9a-f]{32})-([is])([0-9a-z]{1,11})$/;

/** The name of staged bytes: a time and 128 random bits. */
export interface StagedName {
  at: number;
  random: string;
}

/** Creates a new, unique name. */
export function createStagedName(at: number): StagedName {
  return {
    at,
    random: randomHex(16),
  };
}

/** Returns the key of the complete bytes with that name. */
export function dataKeyOf({ at, random }: StagedName): string {
  return `data/${timeToken(at)}-${random}`;
}

/** Returns when staging of the bytes at this key began. Undefined if the key has another format. */
export function stagedAtOf(dataKey: string): number | undefined {
  const time = /^data\/([0-9a-z]{9})-[0-9a-f]{32}$/.exec(dataKey)?.[1];
  return time === undefined ? undefined : parseInt(time, 36);
}

/** Creates the name of a new copy. `staged` is passed if its bytes are a separate object. */
export function createGenerationName(
  now: number,
  sizeBytes: number,
  staged?: StagedName | undefined,
): string {
  const { at, random } = staged ?? createStagedName(now);
  const kind = staged === undefined ? "i" : "s";
  return `${timeToken(now)}-${timeToken(at)}-${random}-${kind}${sizeBytes.toString(36)}`;
}

/** Parses the name of a copy. Undefined for any other string. */
export function parseGeneration(name: string): Generation | undefined {
  const match = pattern.exec(name);
  if (match === null) return undefined;
  const [, committed = "", staged = "", random = "", kind, size = ""] = match;
  return {
    name,
    committedAt: parseInt(committed, 36),
    sizeBytes: parseInt(size, 36),
    dataKey: kind === "s" ? dataKeyOf({ at: parseInt(staged, 36), random }) : undefined,
  };
}

/** Encodes milliseconds in base 36, padded so that tokens sort by time. */
export function timeToken(at: number): string {
  return Math.max(0, Math.floor(at)).toString(36).padStart(9, "0");
}
