import { redactSecrets } from "@ccl/core";

import { usageError } from "../cli-error.ts";

/** Matches a piece of a word: an escaped character, text in double or single quotes, or any other character. */
const piece = /\\([^])|"((?:[^"\\]|\\[^])*)"|'([^']*)'|[^\s"']/g;
const word = new RegExp(`(?:${piece.source})+`, "g");

/**
 * Splits a command line into program and arguments at spaces. Quotes group words, and outside single quotes a backslash
 * escapes the next character. Expands nothing, since no shell is involved.
 */
export function splitCommand(line: string, flag = "--check"): [string, ...string[]] {
  const unquoted = (whole: string, escaped?: string, double?: string, single?: string): string =>
    escaped ?? double?.replace(/\\([^])/g, "$1") ?? single ?? whole;
  if (/["']/.test(line.replace(word, "")))
    throw usageError(`${flag} ${redactSecrets(line).text} has an unclosed quote.`);
  const words = line.match(word) ?? [];
  const [program, ...rest] = words.map((one) => one.replace(piece, unquoted));
  if (program === undefined || program === "") throw usageError(`${flag} needs a command.`);
  return [program, ...rest];
}
