import { throwIfAborted } from "@ccl/core/async";
import type { ResourceDetails } from "@ccl/catalog";
import type { Delimiter } from "@ccl/core/delimited";
import type { Connector } from "../connector/connector.ts";
import { createRowConnector, type RowRequest } from "../connector/create-row-connector.ts";
import type { RowPage } from "../connector/answer-rows.ts";
import { jsonDecoder } from "../connector/json-value.ts";
import { QueryError } from "../query-error.ts";
import { Cell, delimitedPages } from "./delimited-pages.ts";
import { folderReader, type FileContent } from "./folder-reader.ts";
import { jsonLinePages, jsonPage } from "./json-pages.ts";
import { textDecoderOf } from "./text-value.ts";

/** Formats that this connector reads. For Parquet, use `openParquetConnector` from `./duckdb`. */
export type FileFormat = "csv" | "tsv" | "json" | "jsonl";

/** Options for reading files. */
export interface FileConnectorOptions {
  /**
   * The folder to read from. The end of a resource's address names its file. Links that leave the folder are
   * rejected.
   */
  folder?: string | undefined;
  /** Returns the content of a resource. Used instead of `folder`, so it decides which files can be read. */
  read?:
    | ((
        resource: ResourceDetails,
        options: { signal?: AbortSignal | undefined },
      ) => FileContent | Promise<FileContent>)
    | undefined;
  /** Returns the format of a resource. Defaults to the extension of its address. */
  formatOf?: ((resource: ResourceDetails) => FileFormat) | undefined;
  /** By resource id: the keys to the list of rows in a JSON file, joined by dots. */
  rowsAt?: Readonly<Record<string, string>> | undefined;
  /** Size limit for one file. 256 MiB by default. A JSON file (not JSON Lines) is read as a whole. */
  maxBytes?: number | undefined;
  /** Used in messages. `files` by default. */
  name?: string | undefined;
}

/**
 * Creates a connector for CSV, TSV, JSON and JSON Lines files. An invalid line or cell fails the
 * query.
 * @throws QueryError `invalid_options`
 */
export function fileConnector(options: FileConnectorOptions): Connector {
  const { name = "files", maxBytes = 256 * 1024 * 1024 } = options;
  const formatOf = options.formatOf ?? formatByEnding;
  const read =
    options.read ?? (options.folder === undefined ? undefined : folderReader(options.folder));
  if (read === undefined)
    throw new QueryError("invalid_options", "fileConnector takes a folder, or read.");
  return createRowConnector({
    name,
    isLocal: options.read === undefined,
    maxCalls: 1,
    decoderOf: (column, declared) => {
      const ofJson = jsonDecoder(column, declared);
      const ofText = textDecoderOf(column);
      return (value) => (value instanceof Cell ? ofText(value.text) : ofJson(value));
    },
    read: (request) =>
      readFile({ ...options, read, name, maxBytes }, request, formatOf(request.resource)),
  });
}

interface FileReader extends Pick<FileConnectorOptions, "rowsAt"> {
  read: NonNullable<FileConnectorOptions["read"]>;
  name: string;
  maxBytes: number;
}

async function* readFile(
  { read, name, maxBytes, rowsAt }: FileReader,
  { resource, signal, columns }: RowRequest,
  format: FileFormat,
): AsyncGenerator<RowPage, void> {
  throwIfAborted(signal, QueryError);
  const content = await read(resource, signal === undefined ? {} : { signal });
  const { delimiter, encoding, header } = resource.constraints ?? {};
  const text = textOf(content, {
    name,
    maxBytes,
    signal,
    encoding: typeof encoding === "string" ? encoding : "utf-8",
  });
  const source = `${name} (${resource.id})`;
  switch (format) {
    case "csv":
    case "tsv":
      return yield* delimitedPages(text, {
        source,
        columns,
        delimiter: format === "tsv" ? "\t" : knownDelimiter(delimiter),
        hasHeader: header !== false,
      });
    case "jsonl":
      return yield* jsonLinePages(text, { source, resource });
    case "json":
      return yield* jsonPage(text, { source, resource, rowsAt: rowsAt?.[resource.id] });
  }
}

function knownDelimiter(value: unknown): Delimiter | undefined {
  return value === "," || value === ";" || value === "\t" || value === "|" ? value : undefined;
}

interface TextOptions {
  name: string;
  maxBytes: number;
  signal: AbortSignal | undefined;
  /** The encoding that the catalog detected. */
  encoding: string;
}

/**
 * Yields the text in pieces, without a byte order mark.
 * @throws QueryError `limit_exceeded`, `value_invalid` for other encodings
 */
async function* textOf(
  content: FileContent,
  { name, maxBytes, signal, encoding }: TextOptions,
): AsyncGenerator<string, void> {
  const decoder = createDecoder(encoding, name);
  let bytes = 0;
  let isFirst = true;
  const pieces = typeof content === "string" || content instanceof Uint8Array ? [content] : content;
  for await (const piece of pieces) {
    throwIfAborted(signal, QueryError);
    bytes += piece.length;
    if (bytes > maxBytes) {
      const message = `${name} returned more than ${maxBytes} bytes for one file.`;
      const details = { limit: "maxBytes", max: maxBytes };
      throw new QueryError("limit_exceeded", message, { details });
    }
    const text = typeof piece === "string" ? piece : decodedPiece(decoder, piece, name);
    yield isFirst ? text.replace(/^\uFEFF/, "") : text;
    isFirst = isFirst && text === "";
  }
  yield decodedPiece(decoder, undefined, name);
}

function createDecoder(encoding: string, name: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    const message = `${name}: the encoding ${JSON.stringify(encoding)} is not known.`;
    throw new QueryError("value_invalid", message, { cause: error });
  }
}

function decodedPiece(
  decoder: InstanceType<typeof TextDecoder>,
  piece: Uint8Array | undefined,
  name: string,
): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch (error) {
    const message = `${name} gave bytes that are not valid ${decoder.encoding}.`;
    throw new QueryError("value_invalid", message, { cause: error });
  }
}

function formatByEnding({ uri, id }: ResourceDetails): FileFormat {
  const formats = new Map<string, FileFormat>([
    ["csv", "csv"],
    ["tsv", "tsv"],
    ["tab", "tsv"],
    ["json", "json"],
    ["jsonl", "jsonl"],
    ["ndjson", "jsonl"],
  ]);
  const ending = /\.([a-z]+)$/i.exec((uri ?? id).split(/[?#]/)[0] ?? "")?.[1]?.toLowerCase();
  const format = formats.get(ending ?? "");
  if (format !== undefined) return format;
  const message = `${JSON.stringify(id)} ends in none of ${[...formats.keys()].join(", ")}; pass formatOf (Parquet: openParquetConnector of @ccl/query/duckdb).`;
  throw new QueryError("invalid_options", message, { details: { resource: id } });
}
