import { isRecord } from "@ccl/core/json";
import { type Result, success } from "@ccl/core";
import { createPathMatcher } from "@ccl/core/glob";
import { createJsonSchemaChecker, type JsonSchema } from "@ccl/structured-output/json-schema";

import { foldName } from "./fold-name.ts";

/** The names that a plan may use, in addition to the fixed rules. The keys match its JSON file. */
export interface PathAllowList {
  /** Extensions of files that may be written, including the dot. Case-insensitive. */
  allowed_extensions: readonly string[];
  /** Full names that may be written without one of those extensions. */
  allowed_no_extension: readonly string[];
  /** Names or globs. Without a slash they match a segment at any depth, with one they match the whole path. */
  forbidden_paths: readonly string[];
  /** Literal path prefixes. */
  forbidden_prefixes: readonly string[];
}

const NONE: PathAllowList = {
  allowed_extensions: [],
  allowed_no_extension: [],
  forbidden_paths: [],
  forbidden_prefixes: [],
};
const strings: JsonSchema = { type: "array", items: { type: "string", minLength: 1 } };
const allowListSchema: JsonSchema = {
  type: "object",
  properties: Object.fromEntries(Object.keys(NONE).map((key) => [key, strings])),
  additionalProperties: false,
};

/**
 * Reads an allow list parsed from its JSON file. Empty if absent or null. Any other value is `ERR_SCHEMA_VALIDATION`.
 */
export function readPathAllowList(json: unknown): Result<PathAllowList> {
  const given = isRecord(json)
    ? Object.fromEntries(Object.entries(json).filter(([, list]) => list !== null))
    : json;
  const read = createJsonSchemaChecker<Partial<PathAllowList>>(allowListSchema)(given);
  return read.ok ? success({ ...NONE, ...read.value }) : read;
}

/** Returns why an allow list rejects a path, phrased to end a sentence. Undefined if it does not. */
export function allowListProblem(
  path: string,
  list: PathAllowList,
  use: PathUse,
): string | undefined {
  const folded = foldName(path);
  const names = folded.split("/");
  const prefix = list.forbidden_prefixes.find((start) => folded.startsWith(foldName(start)));
  if (prefix !== undefined)
    return `begins with ${JSON.stringify(prefix)}, which the allow list forbids`;
  const pattern = list.forbidden_paths.find((glob) => matches(glob, folded, names));
  if (pattern !== undefined) return `fits ${JSON.stringify(pattern)}, which the allow list forbids`;
  if (use !== "write") return undefined;
  const name = names.at(-1) ?? "";
  const isAllowed =
    list.allowed_extensions.some((ending) => name.endsWith(foldName(ending))) ||
    list.allowed_no_extension.some((allowed) => name === foldName(allowed));
  return isAllowed ? undefined : "has a name or an extension that the allow list does not have";
}

function matches(glob: string, path: string, names: readonly string[]): boolean {
  const folded = foldName(glob).replace(/\/$/, "");
  // A pattern too long to parse forbids everything.
  const isMatch = createPathMatcher(folded, { hasBraces: true }) ?? (() => true);
  if (!folded.includes("/")) return names.some((name) => isMatch(name));
  return (
    names.some((_name, index) => isMatch(names.slice(0, index + 1).join("/"))) || isMatch(path)
  );
}

/** How a path is used. `folder` may end in a slash. `write` needs an allowed extension if there is an allow list. */
export type PathUse = "read" | "write" | "delete" | "folder";

/** Which paths a plan may name. */
export interface PlanPolicy {
  /** Off by default. Paths that it does not allow are `FORBIDDEN_PATH`. */
  allowList?: PathAllowList | undefined;
}
