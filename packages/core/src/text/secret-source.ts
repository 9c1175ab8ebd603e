import type { SecretNameLevel } from "./secret-names.ts";

/** One masked range. Positions are UTF-16 indexes into the input; the secret itself is never kept. */
export interface SecretFinding {
  /** A stable name such as `github_token`, `provider_token`, `jwt`, `private_key`, `url_password` or `secret_value`. */
  kind: string;
  start: number;
  /** One past the last character. */
  end: number;
}

/** A text being scanned from left to right, with what was learnt on the way, so that no range is scanned twice. */
export class SecretSource {
  readonly text: string;
  /** Everything before has been masked or belongs to a marker. */
  floor = 0;
  /** Names before here are known to have no secret value. */
  pairsFrom = 0;
  /** Names met so far. */
  readonly levels: Map<string, SecretNameLevel | undefined> = new Map();
  readonly #next = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
  }

  /** Where `needle` comes next at or after `from`, which must not fall; the length of the text when it doesn't come. */
  find(needle: string, from: number): number {
    const known = this.#next.get(needle) ?? -1;
    if (known >= from) return known;
    const found = this.text.indexOf(needle, from);
    this.#next.set(needle, found < 0 ? this.text.length : found);
    return this.find(needle, from);
  }
}

/** Looks at a place where its trigger was found; undefined when nothing there is secret. */
export type SecretReader = (source: SecretSource, at: number) => SecretFinding | undefined;

/** Where a sticky pattern that is tried at `at` ends; undefined when it doesn't match there. */
export function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Reads what `body` matches behind `lead`; both are sticky. The dots that end a sentence are not the secret's. */
export function shapeReader(kind: string, lead: RegExp, body: RegExp): SecretReader {
  return ({ text }, at) => {
    const start = matchEnd(lead, text, at);
    let end = start === undefined ? undefined : matchEnd(body, text, start);
    if (start === undefined || end === undefined) return undefined;
    while (text.charAt(end - 1) === ".") end -= 1;
    return { kind, start, end };
  };
}
