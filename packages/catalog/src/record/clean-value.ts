import { redactSecrets } from "@ccl/core";

const loneSurrogate = /\p{Surrogate}/gu;
/** Maximum nesting depth of a value in a record. */
export const maxNesting = 32;

/** The result of cleaning. */
export interface CleanedValue {
  value: unknown;
  /** Paths of masked secrets. */
  masked: (string | number)[][];
  /** Paths and reasons of values that JSON cannot represent. */
  refused: { path: (string | number)[]; reason: string }[];
}

interface CleanState {
  /** Path of the value being copied. The whole traversal shares one list. */
  path: (string | number)[];
  masked: (string | number)[][];
  refused: { path: (string | number)[]; reason: string }[];
}

/**
 * Copies a value, fixing Unicode and masking secrets. The copy shares nothing with the value. Omits undefined
 * fields. Rejects functions, symbols, non-finite numbers and nesting beyond 32 levels.
 */
export function cleanValue(value: unknown): CleanedValue {
  const state: CleanState = { path: [], masked: [], refused: [] };
  const { masked, refused } = state;
  return { value: copyOf(value, state), masked, refused };
}

/** Replaces every lone surrogate with U+FFFD. */
function toWellFormed(text: string): string {
  return text.replace(loneSurrogate, "\uFFFD");
}

function copyOf(value: unknown, state: CleanState): unknown {
  if (typeof value === "string") return cleanText(value, state);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return Object.is(value, -0) ? 0 : value;
  if (typeof value === "object" && state.path.length < maxNesting) {
    return Array.isArray(value) ? copyArray(value, state) : copyObject(value, state);
  }
  const reason =
    typeof value === "object"
      ? `nests deeper than ${maxNesting} levels`
      : `is ${describe(value)}, not JSON`;
  state.refused.push({ path: [...state.path], reason });
  return undefined;
}

function describe(value: unknown): string {
  return typeof value === "number" ? String(value) : `a ${typeof value}`;
}

function copyArray(values: readonly unknown[], state: CleanState): unknown[] {
  return Array.from(values, (value, index) => {
    state.path.push(index);
    const copy = copyOf(value, state);
    state.path.pop();
    return copy;
  });
}

function copyObject(value: object, state: CleanState): unknown {
  const copies: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    state.path.push(name);
    const copy = copyOf(member, state);
    const masked = typeof copy === "string" ? maskPair(name, copy, state) : copy;
    copies.push([toWellFormed(name), masked]);
    state.path.pop();
  }
  // An assignment to a member called __proto__ would set the prototype.
  return Object.fromEntries(copies);
}

function cleanText(text: string, { masked, path }: CleanState): string {
  const { text: clean, findings } = redactSecrets(toWellFormed(text));
  if (findings.length > 0) masked.push([...path]);
  return clean;
}

const secretName = /pass|pwd|secret|token|credential|key|auth/i;

/** Masks values that only their name identifies as secret, as in `{ password: "..." }`. */
function maskPair(name: string, text: string, { masked, path }: CleanState): string {
  if (!secretName.test(name)) return text;
  const pair = JSON.stringify({ [name]: text });
  const found = redactSecrets(pair);
  const [first] = found.findings;
  if (first === undefined || found.text === pair) return text;
  masked.push([...path]);
  return `[redacted:${first.kind}]`;
}
