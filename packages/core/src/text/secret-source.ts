import type { SecretNameLevel } from "./secret-names.ts";

/**
 * One masked range. Positions are UTF-16 indexes into the input. The secret itself is not stored.
 */
export interface SecretFinding {
  /** A stable name such as `github_token`, `provider_token`, `jwt`, `private_key`, `url_password` or `secret_value`. */
  kind: string;
  start: number;
  /** One past the last character. */
  end: number;
}

/** Text that is scanned from left to right. Caches results, so that no range is scanned twice. */
export class SecretSource {
  readonly text: string;
  /** Everything before this index is already masked or belongs to a marker. */
  floor = 0;
  /** Names before this index are known to have no secret value. */
  pairsFrom = 0;
  /** Levels of the names found so far. */
  readonly levels: Map<string, SecretNameLevel | undefined> = new Map();
  readonly #next = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
  }

  /**
   * Finds the next index of `needle` at or after `from`, which must not decrease. Returns the length of the text if
   * there is none.
   */
  find(needle: string, from: number): number {
    const known = this.#next.get(needle) ?? -1;
    if (known >= from) return known;
    const found = this.text.indexOf(needle, from);
    this.#next.set(needle, found < 0 ? this.text.length : found);
    return this.find(needle, from);
  }
}

/** Checks the position of a trigger. Undefined if there is no secret. */
export type SecretReader = (source: SecretSource, at: number) => SecretFinding | undefined;

/** Returns the end of a match of a sticky pattern at `at`. Undefined if it does not match there. */
export function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/**
 * Creates a reader of a `body` match after a `lead` match. Both patterns are sticky. Dots at the
 * end of a sentence do not belong to the secret.
 */
export function shapeReader(kind: string, lead: RegExp, body: RegExp): SecretReader {
  return ({ text }, at) => {
    const start = matchEnd(lead, text, at);
    let end = start === undefined ? undefined : matchEnd(body, text, start);
    if (start === undefined || end === undefined) return undefined;
    while (text.charAt(end - 1) === ".") end -= 1;
    return { kind, start, end };
  };
}
