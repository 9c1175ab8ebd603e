import { redactSecrets } from "@ccl/core";

import { usageError } from "../cli-error.ts";

/**
 * Splits a command line into program and arguments at spaces. Quotes group words, and outside single quotes a backslash
 * escapes the next character. Expands nothing, since no shell is involved.
 */
export function splitCommand(line: string, flag = "--check"): [string, ...string[]] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  const characters = [...line];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const next = characters[at + 1];
    if (character === "\\" && quote !== "'" && next !== undefined) {
      word = (word ?? "") + next;
      at += 1;
    } else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== undefined)
    throw usageError(`${flag} ${redactSecrets(line).text} has a quote that does not end.`);
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === "") throw usageError(`${flag} needs a command.`);
  return [program, ...rest];
}
