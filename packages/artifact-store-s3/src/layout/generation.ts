import { randomHex } from "@ccl/core/hash";

/**
 * One written copy of a blob. Its name is never reused, so the late removal of one copy cannot hit another. The name is
 * `<time>-<staged time>-<random>-<kind><size>` with numbers in base 36 and padded times, so that names sort by time.
 */
export interface Generation {
  name: string;
  /** Time of the commit by the store's clock. */
  committedAt: number;
  sizeBytes: number;
  /** Key of the bytes if they are not in the blob object itself. Everything longer than one chunk has one. */
  dataKey?: string | undefined;
}

const pattern = /^([0-9a-z]{9})-([0-9a-z]{9})-([0-9a-f]{32})-([is])([0-9a-z]{1,11})$/;

/** The name of staged bytes: a time and 128 random bits. */
export interface StagedName {
  at: number;
  random: string;
}

/** A new, unique name. */
export function createStagedName(at: number): StagedName {
  return {
    at,
    random: randomHex(16),
  };
}

/** Key of the complete bytes with that name. */
export function dataKeyOf({ at, random }: StagedName): string {
  return `data/${timeToken(at)}-${random}`;
}

/** When staging of the bytes at this key began. Undefined for a key of another form. */
export function stagedAtOf(dataKey: string): number | undefined {
  const time = /^data\/([0-9a-z]{9})-[0-9a-f]{32}$/.exec(dataKey)?.[1];
  return time === undefined ? undefined : parseInt(time, 36);
}

/** The name of a new copy. `staged` is given if its bytes are an object of their own. */
export function createGenerationName(
  now: number,
  sizeBytes: number,
  staged?: StagedName | undefined,
): string {
  const { at, random } = staged ?? createStagedName(now);
  const kind = staged === undefined ? "i" : "s";
  return `${timeToken(now)}-${timeToken(at)}-${random}-${kind}${sizeBytes.toString(36)}`;
}

/** Undefined if the text is not such a name. */
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

/** Milliseconds in base 36, padded so that tokens sort by time. */
export function timeToken(at: number): string {
  return Math.max(0, Math.floor(at)).toString(36).padStart(9, "0");
}
