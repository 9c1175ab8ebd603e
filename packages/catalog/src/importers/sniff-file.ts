import { failure, success, type Result } from "@ccl/core";
import { columnNames, detectDelimiter, readDelimited, type Delimiter } from "@ccl/core/delimited";
import { isRecord } from "@ccl/core/json";
import type { ResourceColumn } from "../record/resource-record.ts";
import { createColumnSniffer, type ColumnSniffer } from "./column-sniffer.ts";
import { decodeText, type DecodedText } from "./decode-text.ts";
import { readJsonLines, readJsonSample, type JsonSample } from "./read-json-sample.ts";
import { typeOfText, typeOfValue, widened, type ValueType } from "./value-type.ts";

/** The columns and row count of a file. */
export interface FileSchema {
  format: string;
  columns: ResourceColumn[];
  /** Undefined if the file does not consist of rows. */
  rows?: number | undefined;
  /** False if `rows` is estimated from the size of the file. */
  isExact: boolean;
  nullRate: Record<string, number>;
  isCut: boolean;
  /** Other facts, such as `delimiter`. */
  details: Record<string, unknown>;
}

/** How much of a text file to read. */
interface SniffLimits {
  sampleBytes: number;
  sampleRows: number;
  maxColumns: number;
}

interface TextSample extends DecodedText, SniffLimits {
  name: string;
  /** True if the text is only the beginning of the file. */
  isPart: boolean;
  /** Length of the file divided by the length of the text. */
  factor: number;
}

const tableEnding = /^(?:csv|tsv|tab|psv)$/;
const linesEnding = /^(?:jsonl|ndjson)$/;
const jsonEnding = /^(?:json|geojson|topojson)$/;

/** Reads the columns of a CSV, JSON or JSONL file. Returns only the format for other files. */
export function readTextFile(
  file: { name: string; bytes: Uint8Array; sizeBytes?: number | undefined },
  ending: string,
  limits: SniffLimits,
): Result<FileSchema> {
  const isTable = tableEnding.test(ending);
  if (!isTable && !linesEnding.test(ending) && !jsonEnding.test(ending))
    return success(schemaWithout(ending));
  const read = file.bytes.subarray(
    0,
    jsonEnding.test(ending) ? wholeBytes(file.bytes, limits) : limits.sampleBytes,
  );
  const decoded = decodeText(read);
  if (decoded === undefined) return malformed(file.name, "it is not text");
  const sizeBytes = Math.max(file.sizeBytes ?? 0, file.bytes.byteLength);
  const factor = read.byteLength === 0 ? 1 : sizeBytes / read.byteLength;
  const sample = {
    ...decoded,
    ...limits,
    name: file.name,
    isPart: read.byteLength < sizeBytes,
    factor,
  };
  return isTable ? readTable(sample) : readJson(sample, linesEnding.test(ending));
}

/** Size limit for a document with an object at the root, which must be read as a whole. */
const maxWholeBytes = 16 * 1024 * 1024;

function wholeBytes(bytes: Uint8Array, { sampleBytes }: SniffLimits): number {
  const first = bytes.subarray(0, 64).find((byte) => byte > 0x20 && byte < 0x80);
  return first === 0x5b ? sampleBytes : Math.max(sampleBytes, maxWholeBytes);
}

function schemaWithout(ending: string): FileSchema {
  return {
    format: ending === "" ? "unknown" : ending,
    columns: [],
    isExact: false,
    nullRate: {},
    isCut: false,
    details: {},
  };
}

function malformed(name: string, reason: string): Result<never> {
  const message = `The file ${JSON.stringify(name.slice(0, 200))} can't be read: ${reason}.`;
  return failure({ code: "malformed_file", path: [], message });
}

function readTable(sample: TextSample): Result<FileSchema> {
  const delimiter = /\.(?:tsv|tab)$/i.test(sample.name) ? "\t" : detectDelimiter(sample.text);
  const rows = takeRows(sample, delimiter);
  const hasHeader = isHeader(rows);
  const names = columnNames(
    hasHeader ? (rows[0] ?? []) : [],
    Math.max(0, ...rows.map((row) => row.length)),
  );
  const sniffer = createColumnSniffer(sample.maxColumns);
  for (const row of hasHeader ? rows.slice(1) : rows) {
    sniffer.addRow(names.map((name, index) => [name, typeOfText(row[index] ?? "")] as const));
  }
  if (sniffer.rows === 0) sniffer.addRow(names.map((name) => [name, "null"] as const));
  const dataRows = hasHeader ? rows.length - 1 : rows.length;
  const total = rowEstimate(sample, {
    rows: dataRows,
    readChars: charsOf(sample, delimiter, rows.length),
  });
  const details = { delimiter, header: hasHeader, encoding: sample.encoding };
  const nullRate = dataRows > 0 ? sniffer.nullRate() : {};
  return success({ format: "csv", ...schemaOf(sniffer), nullRate, ...total, details });
}

/** Returns the rows of the sample. Drops the last one if the file continues, because it may be incomplete. */
function takeRows(sample: TextSample, delimiter: Delimiter): string[][] {
  const rows: string[][] = [];
  for (const row of readDelimited(sample.text, delimiter)) {
    rows.push(row);
    if (rows.length > sample.sampleRows) return rows;
  }
  if (sample.isPart && rows.length > 1) rows.pop();
  return rows;
}

/** Returns the length of the text up to the end of row `rows`, or of the whole text if the sample has all rows. */
function charsOf(sample: TextSample, delimiter: Delimiter, rows: number): number {
  if (rows <= sample.sampleRows) return sample.text.length;
  let chars = 0;
  let count = 0;
  for (const row of readDelimited(sample.text, delimiter)) {
    chars += row.reduce((sum, cell) => sum + cell.length + 1, 0);
    count += 1;
    if (count >= rows) break;
  }
  return chars;
}

/**
 * True if the first row is a header. All its non-empty cells must be strings. In addition, a column must have
 * another type below, or the cells must be unique and not recur below.
 */
function isHeader(rows: readonly (readonly string[])[]): boolean {
  const [first, ...rest] = rows;
  if (first === undefined) return false;
  const filled = first.filter((cell) => cell.trim() !== "");
  const isTexts = filled.length > 0 && filled.every((cell) => typeOfText(cell) === "string");
  if (!isTexts) return false;
  if (rest.length === 0) return true;
  const below = rest.slice(0, 100);
  const types = first.map((_, index) =>
    below.map((row) => typeOfText(row[index] ?? "")).reduce<ValueType>(widened, "null"),
  );
  if (types.some((type) => type !== "string" && type !== "null")) return true;
  return (
    new Set(filled).size === filled.length &&
    first.every((cell, index) => below.every((row) => row[index] !== cell))
  );
}

function readJson(sample: TextSample, isLines: boolean): Result<FileSchema> {
  const limits = { isCut: sample.isPart, maxRows: sample.sampleRows };
  const read = isLines ? readJsonLines(sample.text, limits) : readJsonSample(sample.text, limits);
  if (read === undefined) {
    const reason =
      sample.isPart && !isLines
        ? "it is too large for one JSON object; write it as JSONL"
        : "it is not JSON";
    return malformed(sample.name, reason);
  }
  const sniffer = createColumnSniffer(sample.maxColumns);
  for (const value of read.values) sniffer.addRow(cellsOf(value));
  return success({
    format: isLines ? "jsonl" : "json",
    ...schemaOf(sniffer),
    ...rowsOfSample(sample, read),
    details: { encoding: sample.encoding, rows_at: read.member },
  });
}

function rowsOfSample(sample: TextSample, read: JsonSample): { rows: number; isExact: boolean } {
  if (read.isWhole) return { rows: read.values.length, isExact: true };
  return rowEstimate(sample, { rows: read.values.length, readChars: read.readChars });
}

/** Returns the fields of a row. Expands nested objects by one level, as in `address.city`. */
function cellsOf(value: unknown): (readonly [string, ValueType])[] {
  if (!isRecord(value)) return [["value", typeOfValue(value)]];
  return Object.entries(value).flatMap(([name, member]): (readonly [string, ValueType])[] => {
    if (!isRecord(member)) return [[name === "" ? "unnamed" : name, typeOfValue(member)]];
    const inner = Object.entries(member).slice(0, 100);
    return inner.length === 0
      ? [[name, "object"]]
      : inner.map(([part, item]) => [`${name}.${part}`, typeOfValue(item)]);
  });
}

function schemaOf(sniffer: ColumnSniffer): Pick<FileSchema, "columns" | "nullRate" | "isCut"> {
  return { columns: sniffer.columns(), nullRate: sniffer.nullRate(), isCut: sniffer.isCut };
}

function rowEstimate(
  { text, factor, isPart }: TextSample,
  { rows, readChars }: { rows: number; readChars: number },
): { rows: number; isExact: boolean } {
  if (!isPart && readChars >= text.length) return { rows, isExact: true };
  return {
    rows: Math.round(rows * factor * (text.length / Math.max(1, readChars))),
    isExact: false,
  };
}
