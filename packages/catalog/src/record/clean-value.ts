import { redactSecrets } from "@ccl/core";

const loneSurrogate = /\p{Surrogate}/gu;
const deepest = 32;

/** What cleaning found; a value that JSON cannot carry is named by its path. */
export interface CleanedValue {
  value: unknown;
  /** Where secrets were masked. */
  masked: (string | number)[][];
  /** Where and why the value is no JSON. */
  refused: { path: (string | number)[]; reason: string }[];
}

interface CleanState {
  masked: (string | number)[][];
  refused: { path: (string | number)[]; reason: string }[];
}

/**
 * A copy with well-formed Unicode and masked secrets, sharing nothing with the value. Members that are undefined are
 * left out; functions, symbols, numbers that are not finite and nesting beyond 32 levels are refused.
 */
export function cleanValue(value: unknown): CleanedValue {
  const state: CleanState = { masked: [], refused: [] };
  return { value: copyOf(value, [], state), ...state };
}

/** U+FFFD for every half of a surrogate pair. */
function toWellFormed(text: string): string {
  return text.replace(loneSurrogate, "\uFFFD");
}

function copyOf(value: unknown, path: (string | number)[], state: CleanState): unknown {
  if (typeof value === "string") return cleanText(value, path, state);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return Object.is(value, -0) ? 0 : value;
  if (typeof value === "object" && path.length < deepest) {
    return Array.isArray(value) ? copyArray(value, path, state) : copyObject(value, path, state);
  }
  const reason = typeof value === "object" ? `nests deeper than ${deepest} levels` : `is ${describe(value)}, not JSON`;
  state.refused.push({ path, reason });
  return undefined;
}

function describe(value: unknown): string {
  return typeof value === "number" ? String(value) : `a ${typeof value}`;
}

function copyArray(values: readonly unknown[], path: (string | number)[], state: CleanState): unknown[] {
  return Array.from(values, (value, index) => copyOf(value, [...path, index], state));
}

function copyObject(value: object, path: (string | number)[], state: CleanState): unknown {
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const at = [...path, name];
    const copy = copyOf(member, at, state);
    members.push([toWellFormed(name), typeof copy === "string" ? maskPair(name, copy, { path: at, state }) : copy]);
  }
  // Defines the members, so that one called __proto__ is data like any other.
  return Object.fromEntries(members);
}

function cleanText(text: string, path: (string | number)[], state: CleanState): string {
  const { text: masked, findings } = redactSecrets(toWellFormed(text));
  if (findings.length > 0) state.masked.push(path);
  return masked;
}

const secretName = /pass|pwd|secret|token|credential|key|auth/i;

/** `{ password: "..." }` is only seen as a secret together with its name. */
function maskPair(name: string, text: string, at: { path: (string | number)[]; state: CleanState }): string {
  if (!secretName.test(name)) return text;
  const pair = JSON.stringify({ [name]: text });
  const { text: masked, findings } = redactSecrets(pair);
  const [first] = findings;
  if (first === undefined || masked === pair) return text;
  at.state.masked.push(at.path);
  return `[redacted:${first.kind}]`;
}
