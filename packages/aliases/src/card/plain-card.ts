import { leadingLines } from "./card-lines.ts";
import { plainWords } from "./markdown-sections.ts";

/** Summarizes any text by its size and its first line that has a letter or digit. */
export function plainCard(text: string): string[] {
  const lineCount = text.replace(/\n$/, "").split("\n").length - (text === "" ? 1 : 0);
  const size = `Size: ${lineCount} lines, ${Buffer.byteLength(text)} bytes`;
  const start = leadingLines(text.slice(0, 20_000)).find((line) => /[\p{L}\p{N}]/u.test(line));
  return start === undefined ? [size] : [size, `Start: ${plainWords(start)}`];
}
