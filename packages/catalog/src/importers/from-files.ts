import { isRecord, withoutUndefined } from "@ccl/core/json";
import { failure, success, type Issue, type Result } from "@ccl/core";
import type { ResourceInput } from "../record/resource-record.ts";
import { lastById } from "./from-tools.ts";
import { cleanText, cleanUrl } from "../schema/clean-text.ts";
import { pathResourceId, resourceUri } from "./resource-address.ts";
import { readParquetFile, type ParquetMetadataReader } from "./read-parquet-file.ts";
import { readTextFile, type FileSchema } from "./sniff-file.ts";

/** A file, or its first bytes. */
export interface SourceFile {
  /** Path of the file, separated by slashes. The extension determines how the file is read. */
  name: string;
  bytes: Uint8Array;
  /** Size of the whole file, if `bytes` contains only the beginning. */
  sizeBytes?: number | undefined;
  /** Defaults to `ada://any/file/` plus the name. */
  uri?: string | undefined;
  /** ISO 8601. */
  updated_at?: string | undefined;
}

/** Options of `fromFiles`. */
export interface FromFilesOptions {
  /** Number of bytes read from a text file. 1 MiB by default. */
  sampleBytes?: number | undefined;
  /** Number of rows read. 10,000 by default. */
  sampleRows?: number | undefined;
  /** 2,000 by default. */
  maxColumns?: number | undefined;
  /** hyparquet's `parquetMetadata` or an equivalent. Parquet files are rejected without it. */
  parquetMetadata?: ParquetMetadataReader | undefined;
  tags?: readonly string[] | undefined;
  owner?: string | undefined;
}

/**
 * Imports files as resources of kind `file`, sorted by id. CSV (any delimiter, UTF-8, UTF-16 or Windows-1251),
 * JSON, JSONL and Parquet files get columns, types and null rates. Other files only get a name and a format. No
 * value from a file is kept. Codes: `malformed_file`, `parquet_reader_missing`, `duplicate_file`.
 */
export function fromFiles(
  files: readonly SourceFile[],
  options: FromFilesOptions = {},
): Result<ResourceInput[]> {
  const issues: Issue[] = [];
  const resources = new Map<string, ResourceInput>();
  for (const [index, file] of files.entries()) {
    const wrong = wrongMember(file);
    if (wrong !== undefined) {
      issues.push({ code: "malformed_file", path: [index, wrong], message: membersOfFile });
      continue;
    }
    const schema = readFile(file, options);
    if (!schema.ok) {
      issues.push(...schema.issues.map((issue) => ({ ...issue, path: [index] })));
      continue;
    }
    const resource = fileResource(file, schema.value, options);
    if (resources.has(resource.id)) {
      const message = `Two files are named ${JSON.stringify(file.name.slice(0, 200))}; give each its path.`;
      issues.push({ code: "duplicate_file", path: [index, "name"], message });
    }
    resources.set(resource.id, resource);
  }
  const [first, ...others] = issues;
  if (first !== undefined) return failure(first, ...others);
  return success(lastById([...resources.values()]));
}

const membersOfFile = 'A file is { name: "orders.csv", bytes: Uint8Array }.';

/** Returns the field that has the wrong type, which callers without type checks can pass. */
function wrongMember(file: unknown): "name" | "bytes" | undefined {
  const { name, bytes } = isRecord(file) ? file : {};
  if (typeof name !== "string" || name === "") return "name";
  return bytes instanceof Uint8Array ? undefined : "bytes";
}

function readFile(file: SourceFile, options: FromFilesOptions): Result<FileSchema> {
  const { sampleBytes = 1024 * 1024, sampleRows = 10_000, maxColumns = 2_000 } = options;
  if (endingOf(file.name) === "parquet") return readParquetFile(file, options.parquetMetadata);
  return readTextFile(file, endingOf(file.name), { sampleBytes, sampleRows, maxColumns });
}

function endingOf(name: string): string {
  return /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
}

function fileResource(
  file: SourceFile,
  schema: FileSchema,
  { tags = [], owner }: FromFilesOptions,
): ResourceInput {
  const { columns, rows, isExact, nullRate, format, isCut, details } = schema;
  const sizeBytes = file.sizeBytes ?? file.bytes.byteLength;
  const name = file.name.replaceAll("\\", "/");
  return withoutUndefined({
    id: pathResourceId("file", name),
    uri: cleanUrl(file.uri ?? resourceUri("file", ...splitPath(name))),
    kind: "file",
    title: cleanText(name.split("/").at(-1), 200) ?? "file",
    tags: [...new Set([`format:${format}`, ...tags])],
    shape:
      rows === undefined
        ? undefined
        : { rows_est: isExact ? rows : `~${rows}`, cols: columns.length },
    cap: columns.length > 0 ? ["scan", "project"] : ["read"],
    columns: columns.length > 0 ? columns : undefined,
    constraints: { size_bytes: sizeBytes, ...details },
    quality: Object.keys(nullRate).length > 0 ? { null_rate: nullRate } : undefined,
    updated_at: file.updated_at,
    owner,
    columns_cut: isCut || undefined,
  });
}

function splitPath(name: string): [string, ...string[]] {
  const [first = "", ...rest] = name.split("/").filter((part) => part !== "" && part !== ".");
  return [first, ...rest];
}
