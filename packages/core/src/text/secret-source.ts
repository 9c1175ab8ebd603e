import type { SecretNameLevel } from "./secret-names.ts";

/** One masked range. Positions are UTF-16 indexes into the input; the secret itself is never kept. */
export interface SecretFinding {
  /** A stable name such as `github_token`, `jwt`, `private_key`, `url_password` or `secret_value`. */
  kind: string;
  start: number;
  /** One past the last character. */
  end: number;
}

/** A text being scanned from left to right, with what was learnt on the way, so that no stretch is walked twice. */
export class SecretSource {
  readonly text: string;
  /** Everything before has been masked or belongs to a marker. */
  floor = 0;
  /** Names before here are known to have no secret value. */
  pairsFrom = 0;
  /** No JWT begins before here. */
  jwtsFrom = 0;
  /** Levels of the names met so far; null for a name that announces no secret. */
  readonly levels: Map<string, SecretNameLevel | null> = new Map();
  readonly #next = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
  }

  /** Where `needle` comes next at or after `from`, which must not fall; the length of the text when it doesn't come. */
  find(needle: string, from: number): number {
    const cached = this.#next.get(needle) ?? -1;
    if (cached >= from) return cached;
    const found = this.text.indexOf(needle, from);
    const next = found < 0 ? this.text.length : found;
    this.#next.set(needle, next);
    return next;
  }
}

/** Looks at a place where its trigger was found; undefined when nothing there is secret. */
export type SecretReader = (source: SecretSource, at: number) => SecretFinding | undefined;
