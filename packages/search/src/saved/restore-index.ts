import { sha256Hex } from "@ccl/core";
import { SearchError } from "../search-error.ts";
import { addDocument, createDocumentTable } from "../table/document-table.ts";
import { createVectorTable } from "../vectors/vector-table.ts";
import {
  hashBytes,
  savedVersion,
  type IndexFormat,
  type IndexState,
  type SavedHeader,
} from "./saved-index.ts";

const lineFeed = 10;

/**
 * Restores a saved index.
 * @throws SearchError `index_damaged` if the bytes changed, `invalid_options` if they were saved by
 * another version, with another analyzer or precision, or from an index with other fields
 */
export function restoreIndex(bytes: Uint8Array, expected: IndexFormat): IndexState {
  const body = bytes.subarray(hashBytes);
  if (textOf(bytes.subarray(0, hashBytes)) !== `${sha256Hex(body)}\n`) {
    throw new SearchError(
      "index_damaged",
      "The saved index is damaged: its hash does not match. Build it again from the documents.",
    );
  }
  const end = body.indexOf(lineFeed);
  const header: SavedHeader = JSON.parse(textOf(body.subarray(0, end)));
  checkFormat(header, { ...expected, version: savedVersion });
  const table = createDocumentTable();
  for (const document of header.documents) addDocument(table, document);
  const text = new Map(header.terms.map(([term, steps]) => [term, entriesOf(steps)]));
  return { table, text, vectors: readVectors(body.slice(end + 1).buffer, header) };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

type SavedFormat = IndexFormat & Pick<SavedHeader, "version">;

function checkFormat(header: SavedFormat, expected: SavedFormat): void {
  const formatOf = ({ version, analyzer, fields, precision }: SavedFormat): string =>
    `format ${version}, the analyzer ${JSON.stringify(analyzer)}, ${precision} vectors and the fields ${fields.join(", ")}`;
  if (formatOf(header) === formatOf(expected)) return;
  throw new SearchError(
    "invalid_options",
    `The saved index has ${formatOf(header)}, not ${formatOf(expected)}. Build it again from the documents.`,
  );
}

function entriesOf(steps: readonly number[]): number[] {
  let entry = 0;
  return steps.map((step) => (entry += step));
}

function readVectors(
  buffer: ArrayBuffer,
  { precision, dimensions, vectors }: SavedHeader,
): IndexState["vectors"] {
  const table = createVectorTable(precision);
  table.dimensions = dimensions;
  const Values = precision === "int8" ? Int8Array : Float32Array;
  for (const [at, [slot, scale]] of vectors.entries()) {
    const values = new Values(buffer, at * dimensions * Values.BYTES_PER_ELEMENT, dimensions);
    table.rows.set(slot, { values, scale });
  }
  return table;
}
