import { isIdentifierLike } from "../compact-forms/value-rank.ts";
import { looksLikeLog } from "./summarize-log.ts";

const markdownTable = /^\s{0,3}\|.+\|\s*\n\s{0,3}\|[\s:|-]+\|\s*$/m;
const separators = [",", "\t", ";", "|"];
const sampleRows = 20;

/** The rows of a text that is a table, those with quoted line feeds (RFC 4180) in one piece; undefined for any other text. */
export function tableRows(
  text: string,
  { sample, mimeType }: { sample: string; mimeType: string },
): string[] | undefined {
  const type = mimeType.split(";")[0]?.trim().toLowerCase();
  // The sample may end within a row.
  const hasColumns = (rows: readonly string[]): boolean =>
    separators.some((separator) => haveColumns(rows.slice(0, -1).slice(0, sampleRows), separator));
  if (type === "text/csv" || hasColumns(quotedRows(sample))) return quotedRows(text);
  const lines = /\r?\n/;
  const isTable =
    type === "text/tab-separated-values" ||
    markdownTable.test(sample) ||
    hasColumns(sample.split(lines));
  return isTable ? text.split(lines) : undefined;
}

/** A row of more lines than that has an unclosed quote. */
const maxLinesOfRow = 50;

/** Lines, joined where a cell in quotes goes on; as they are where one is never closed. */
function quotedRows(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const rows: string[] = [];
  let open: string[] = [];
  for (const line of lines) {
    const isOpen = isLeftOpen(line, open.length > 0);
    open.push(line);
    if (open.length > maxLinesOfRow) return lines;
    if (isOpen) continue;
    rows.push(open.length === 1 ? line : open.join("\n"));
    open = [];
  }
  return open.length === 0 ? rows : lines;
}

/** Whether a quoted cell goes on after the text. A quote opens one only where a cell begins: `5" pipe` opens none. */
function isLeftOpen(text: string, wasOpen: boolean): boolean {
  let isOpen = wasOpen;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    isOpen = !isOpen && (at === 0 || ',;|\t"'.includes(text.charAt(at - 1)));
  }
  return isOpen;
}

/** True where each of the rows has as many cells as the first one, which are names, or data above data of the same kind. */
function haveColumns(sample: readonly string[], separator: string): boolean {
  const [first = [], ...rows] = sample.map((row) =>
    cellsOf(row, separator).map((cell) => cell.trim()),
  );
  const isEven =
    first.length > 1 && rows.length > 2 && rows.every((row) => row.length === first.length);
  if (!isEven) return false;
  if (first.every((cell) => name.test(cell))) return true;
  // A log's words begin with a time too, and its errors may come late.
  const isLog = looksLikeLog(sample.join("\n"));
  const isData = first.every(
    (cell) => figure.test(cell) || (!isLog && (name.test(cell) || oneWord.test(cell))),
  );
  return (
    isData &&
    first.some((cell, at) => figure.test(cell) && rows.every((row) => figure.test(row[at] || cell)))
  );
}

const name = /^"?[\p{L}_][\p{L}\p{N}_ .,;()%/-]{0,40}"?$/u;
/** A number, a date or a time. */
const figure = /^"?[-+]?\d[\d.,:eETZ%/+ -]*"?$/;
const oneWord = /^(?:\S*|"[^]*")$/;

/** Cells, split where a separator stands outside of quotes. */
function cellsOf(row: string, separator: string): string[] {
  const cells: string[] = [];
  let isOpen = false;
  for (const piece of row.split(separator)) {
    cells.push(isOpen ? `${cells.pop() ?? ""}${separator}${piece}` : piece);
    isOpen = isLeftOpen(piece, isOpen);
  }
  return cells;
}

/**
 * True where most lines say something by themselves: XML, YAML, lists of names or paths, matches of a search. HTML begins with
 * what is never read.
 */
export function isLineByLine(sample: string): boolean {
  if (/^\s*<(?!!doctype html|html)[a-z?!]/i.test(sample)) return true;
  const lines = sample.split("\n", sampleRows * 10).filter((line) => line.trim() !== "");
  return lines.length >= 4 && lines.filter(isEntry).length * 5 >= lines.length * 4;
}

function isEntry(line: string): boolean {
  if (/^\s*(?:- |(?:- )?["']?[\w./-]{1,60}["']?:(?:\s|$)|#|---)/.test(line)) return true;
  const words = line.trim().split(/\s+/, 12);
  return words.length <= 2 || words.some((word) => isIdentifierLike(word.split(":", 1)[0] ?? ""));
}
