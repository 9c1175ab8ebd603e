import { failure, success, type Result } from "@ccl/core";

/** The parts of `PREFIX.name` or `PREFIX.name@sha8`. */
interface ParsedAlias {
  /** One of S, H, P, A, PR, T, D, R, or a user-defined prefix: a capital letter and up to 7 more capitals or digits. */
  prefix: string;
  name: string;
  /** 8 lower-case hex digits. */
  sha8?: string | undefined;
}

/** Maximum length of the name after the prefix and its dot. Keeps the names of card files valid on every system. */
export const MAX_NAME_LENGTH: number = 120;

const ALIAS = /^([A-Z][A-Z0-9]{0,7})\.([A-Za-z0-9_][A-Za-z0-9_.-]{0,119})(?:@([0-9a-f]{8}))?$/;

/** Parses an alias or a reference such as `alias@sha8`. Issue: alias_invalid. */
export function parseAlias(text: string): Result<ParsedAlias> {
  const [, prefix, name, sha8] = ALIAS.exec(text) ?? [];
  if (prefix !== undefined && name !== undefined) {
    return success(sha8 === undefined ? { prefix, name } : { prefix, name, sha8 });
  }
  return failure({
    code: "alias_invalid",
    path: [],
    message: `${quote(text)} is not an alias. Write a prefix of capitals, a dot and a name of letters, digits, "_", "-" and "." (at most ${MAX_NAME_LENGTH}), as in H.main, with @ and 8 hex digits for a reference.`,
  });
}

/**
 * Returns the key of an alias. Aliases with equal keys would have the same file name on a
 * case-insensitive disk.
 */
export function aliasKey(alias: string): string {
  return alias.toLowerCase();
}

/** Quotes untrusted text for a message, on one line, truncated to 80 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
