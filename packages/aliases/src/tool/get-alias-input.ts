import { failure, success, type Issue, type Result } from "@ccl/core";
import { isRecord } from "@ccl/core/json";

import { parseAlias, quote } from "../registry/alias-name.ts";

const KEYS: ReadonlySet<string> = new Set(["alias", "search", "sha8", "lines"]);
const MAX_NAMES = 10;

/** A file requested by a model. */
export interface GetAliasRequest {
  /** The alias without its `@sha8`. */
  alias: string;
  sha8?: string | undefined;
  lines?: string | undefined;
}

/**
 * Validates a model's input: the files to return, or the words to search for. Issues:
 * input_invalid, lines_invalid.
 */
export function readGetAliasInput(
  input: unknown,
): Result<{ requests: GetAliasRequest[]; search?: string | undefined }> {
  const issues: Issue[] = [];
  const refuse = (key: string, message: string, code = "input_invalid"): undefined => {
    issues.push({ code, path: [key], message });
  };
  if (!isRecord(input)) {
    const message = 'The input is not an object. Pass {"alias": "H.main"}.';
    return failure({ code: "input_invalid", path: [], message });
  }
  // Some models send null for absent fields.
  const present = Object.entries(input).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  const { alias, search, sha8, lines } = Object.fromEntries(present);
  for (const key of Object.keys(input).filter((name) => !KEYS.has(name)))
    refuse(key, `There is no parameter ${quote(key)}. Use alias, search, sha8, lines.`);

  if (search !== undefined) {
    if (typeof search !== "string" || search.trim() === "")
      refuse("search", '"search" is not a text. Pass words, as in "retry upload".');
    if (present.some(([key, value]) => key !== "search" && value !== ""))
      refuse("search", '"search" goes alone; leave the other parameters out.');
    return requestResult({ requests: [], search: String(search) }, issues);
  }

  const names: unknown[] = Array.isArray(alias) ? alias : [alias];
  if (names.length === 0 || names.length > MAX_NAMES)
    refuse("alias", `A list names 1 to ${MAX_NAMES} files.`);
  const hash =
    typeof sha8 === "string" && /^[0-9a-f]{8}$/i.test(sha8) ? sha8.toLowerCase() : undefined;
  if (sha8 !== undefined && hash === undefined)
    refuse("sha8", '"sha8" is not 8 hex digits. Copy what stands after the @, or leave it out.');
  const range = lines === undefined ? undefined : readLines(lines);
  if (lines !== undefined && range === undefined)
    refuse(
      "lines",
      '"lines" is not a range. Write "10-40", "10-" or "7", counted from 1, the smaller number first.',
      "lines_invalid",
    );
  if (names.length > 1 && (hash ?? range) !== undefined)
    refuse("alias", '"lines" and "sha8" go with one alias, not with a list.');

  const requests = names.slice(0, MAX_NAMES).flatMap((name): GetAliasRequest[] => {
    if (typeof name !== "string" || name === "") {
      refuse("alias", '"alias" is not a text. Pass an alias of the pack, as in "H.main".');
      return [];
    }
    // Text that is not an alias still goes to the registry, which suggests the nearest names.
    const parsed = parseAlias(name);
    const pinned = parsed.ok ? parsed.value.sha8 : undefined;
    if (pinned !== undefined && hash !== undefined && pinned !== hash)
      refuse("sha8", `"sha8" is ${hash}, but the alias says @${pinned}. Pass one of them.`);
    const bare = pinned === undefined ? name : name.slice(0, -pinned.length - 1);
    return [{ alias: bare, sha8: hash ?? pinned, lines: range }];
  });
  return requestResult({ requests }, issues);
}

function requestResult<Value>(value: Value, [first, ...rest]: Issue[]): Result<Value> {
  return first === undefined ? success(value) : failure(first, ...rest);
}

function readLines(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  const [, first, last] = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8})?)?$/.exec(text) ?? [];
  const isRange = first !== undefined && (last === undefined || Number(last) >= Number(first));
  return isRange ? text : undefined;
}
