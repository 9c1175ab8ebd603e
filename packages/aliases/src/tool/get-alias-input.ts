import { failure, success, type Issue, type Result } from "@ccl/core";
import { isRecord } from "@ccl/core/json";

import { parseAlias, quote } from "../registry/alias-name.ts";

const KEYS: ReadonlySet<string> = new Set(["alias", "search", "sha8", "lines"]);
const MAX_NAMES = 10;

/** One file that a model names. */
export interface GetAliasRequest {
  /** Without its `@sha8`. */
  alias: string;
  sha8?: string | undefined;
  lines?: string | undefined;
}

/**
 * Checks the input from a model: the files to return, or the words to search for. Issues:
 * input_invalid, lines_invalid.
 */
export function readGetAliasInput(
  input: unknown,
): Result<{ requests: GetAliasRequest[]; search?: string | undefined }> {
  if (!isRecord(input))
    return failure(invalid([], 'The input is not an object. Pass {"alias": "H.main"}.'));
  const issues: Issue[] = Object.keys(input)
    .filter((key) => !KEYS.has(key))
    .map((key) =>
      invalid([key], `There is no parameter ${quote(key)}. Use alias, search, sha8, lines.`),
    );
  const { alias: named, search } = input;
  if (search !== undefined && search !== null) {
    if (typeof search !== "string" || search.trim() === "")
      issues.push(invalid(["search"], '"search" is not a text. Pass words, as in "retry upload".'));
    if (Object.entries(input).some(([key, value]) => key !== "search" && (value ?? "") !== ""))
      issues.push(invalid(["search"], '"search" goes alone; leave the other parameters out.'));
    return requestResult({ requests: [], search: String(search) }, issues);
  }
  const isList = Array.isArray(named) && named.length !== 1;
  const names: unknown[] = Array.isArray(named) ? named : [named];
  if (names.length === 0 || names.length > MAX_NAMES)
    issues.push(invalid(["alias"], `A list names 1 to ${MAX_NAMES} files.`));
  const references = names.slice(0, MAX_NAMES).map((name) => readAliasField(name, issues));
  const [reference] = references;
  const sha8 = readSha8(input["sha8"], issues);
  const lines = readLines(input["lines"], issues);
  if (sha8 !== undefined && reference?.sha8 !== undefined && reference.sha8 !== sha8) {
    issues.push(
      invalid(
        ["sha8"],
        `"sha8" is ${sha8}, but the alias says @${reference.sha8}. Pass one of them.`,
      ),
    );
  }
  if (isList && (sha8 ?? lines) !== undefined)
    issues.push(invalid(["alias"], '"lines" and "sha8" go with one alias, not with a list.'));
  const requests = references.flatMap((one) => one ?? []);
  return requestResult(
    { requests: requests.map((one) => ({ ...one, sha8: sha8 ?? one.sha8, lines })) },
    issues,
  );
}

function requestResult<Value>(value: Value, [first, ...rest]: Issue[]): Result<Value> {
  return first === undefined ? success(value) : failure(first, ...rest);
}

/** Text that is not a valid alias still goes to the registry, which suggests the nearest names. */
function readAliasField(
  value: unknown,
  issues: Issue[],
): { alias: string; sha8?: string | undefined } | undefined {
  if (typeof value !== "string" || value === "") {
    issues.push(
      invalid(["alias"], '"alias" is not a text. Pass an alias of the pack, as in "H.main".'),
    );
    return undefined;
  }
  const parsed = parseAlias(value);
  if (!parsed.ok || parsed.value.sha8 === undefined) return { alias: value };
  return { alias: `${parsed.value.prefix}.${parsed.value.name}`, sha8: parsed.value.sha8 };
}

/** Some models write null for absent fields. */
function readSha8(value: unknown, issues: Issue[]): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && /^[0-9a-f]{8}$/i.test(value)) return value.toLowerCase();
  issues.push(
    invalid(["sha8"], '"sha8" is not 8 hex digits. Copy what stands after the @, or leave it out.'),
  );
  return undefined;
}

function readLines(value: unknown, issues: Issue[]): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === "string" ? value.trim() : "";
  const [, first, last] = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8})?)?$/.exec(text) ?? [];
  if (first !== undefined && (last === undefined || Number(last) >= Number(first))) return text;
  const message =
    '"lines" is not a range. Write "10-40", "10-" or "7", counted from 1, the smaller number first.';
  issues.push({ code: "lines_invalid", path: ["lines"], message });
  return undefined;
}

function invalid(path: string[], message: string): Issue {
  return { code: "input_invalid", path, message };
}
