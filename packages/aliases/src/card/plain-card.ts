import { plainWords } from "./markdown-sections.ts";

/** Size and first line with a letter or digit in it: what can be said of any text. */
export function plainCard(text: string): string[] {
  const lineCount = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const size = `Size: ${lineCount} lines, ${Buffer.byteLength(text)} bytes`;
  const start = text
    .slice(0, 20_000)
    .split("\n")
    .find((line) => /[\p{L}\p{N}]/u.test(line));
  return start === undefined ? [size] : [size, `Start: ${plainWords(start)}`];
}
