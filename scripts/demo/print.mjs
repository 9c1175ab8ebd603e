// Printing for the demo: headings, excerpts and bars, in colour only on a terminal.
import { stripVTControlCharacters, styleText } from "node:util";

const BAR_COLUMNS = 56;
const EXCERPT_COLUMNS = 90;

export function heading(number, title, text) {
  say(`\n${paint("bold", `${number} ${title}`)}  ${text}`);
}

/** The first lines of a text, each cut to the width of a terminal, and the number of omitted lines. */
export function excerpt(lines, most) {
  for (const line of lines.slice(0, most)) {
    say(
      `   ${paint("cyan", "|")} ${line.length > EXCERPT_COLUMNS ? `${line.slice(0, EXCERPT_COLUMNS - 1)}…` : line}`,
    );
  }
  if (lines.length > most)
    say(
      `   ${paint("cyan", "|")} ${paint("dim", `... ${format(lines.length - most)} more lines`)}`,
    );
}

export function bar(share, colour) {
  const eighths = Math.max(1, Math.round(share * BAR_COLUMNS * 8));
  const blocks = "█".repeat(Math.floor(eighths / 8)) + ["", ..."▏▎▍▌▋▊▉"][eighths % 8];
  return paint(colour, blocks) + " ".repeat(BAR_COLUMNS - blocks.length);
}

/** Numbers as columns of eight heights below `highest`, no more columns than a bar has. */
export function columns(numbers, highest, colour) {
  const step = numbers.length / Math.min(numbers.length, BAR_COLUMNS);
  const shown = Array.from({ length: Math.round(numbers.length / step) }, (_, at) =>
    Math.max(...numbers.slice(Math.floor(at * step), Math.max(Math.floor((at + 1) * step), 1))),
  );
  const heights = shown.map((number) => Math.min(7, Math.floor((number / highest) * 8)));
  return paint(colour, heights.map((height) => "▁▂▃▄▅▆▇█"[height]).join(""));
}

export function stopwatch() {
  const start = performance.now();
  return () => `${((performance.now() - start) / 1000).toFixed(2)} s`;
}

export function paint(style, text) {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  const isForced = FORCE_COLOR !== undefined && FORCE_COLOR !== "0";
  const isWanted = !NO_COLOR && (isForced || (process.stdout.isTTY && TERM !== "dumb"));
  return isWanted ? styleText(style, text, { validateStream: false }) : text;
}

export function format(number) {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

const lines = [];

export function say(line) {
  lines.push(stripVTControlCharacters(line));
  process.stdout.write(`${line}\n`);
}

/** Everything that was printed so far, without colours. */
export function said() {
  return lines.join("\n");
}
