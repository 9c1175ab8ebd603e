import { failure, success, type Issue, type Result } from "@ccl/core";

import { parseAlias, quote } from "../registry/alias-name.ts";
import type { GetAliasInput } from "../registry/alias-registry.ts";

const KEYS: ReadonlySet<string> = new Set(["alias", "sha8", "lines"]);

/** Checks what a model passed; `alias` comes back without its `@sha8`. Issues: input_invalid, lines_invalid, alias_stale. */
export function readGetAliasInput(input: unknown): Result<GetAliasInput> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return failure(invalid([], 'The input is not an object. Pass {"alias": "H.main"}.'));
  }
  const issues: Issue[] = Object.keys(input)
    .filter((key) => !KEYS.has(key))
    .map((key) => invalid([key], `There is no parameter ${quote(key)}. Use alias, sha8, lines.`));
  const reference = readAliasField("alias" in input ? input.alias : undefined, issues);
  const sha8 = readSha8("sha8" in input ? input.sha8 : undefined, issues);
  const lines = readLines("lines" in input ? input.lines : undefined, issues);
  if (sha8 !== undefined && reference?.sha8 !== undefined && reference.sha8 !== sha8) {
    issues.push(
      invalid(
        ["sha8"],
        `"sha8" is ${sha8}, but the alias says @${reference.sha8}. Pass one of them.`,
      ),
    );
  }
  const [first, ...rest] = issues;
  if (first !== undefined || reference === undefined)
    return failure(first ?? invalid(["alias"], "No alias."), ...rest);
  const wanted = sha8 ?? reference.sha8;
  return success({
    alias: reference.alias,
    sha8: wanted,
    lines,
  });
}

/** What is not an alias by its form still goes to the registry, which knows the nearest names. */
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

/** Some models write null for what they leave out. */
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
