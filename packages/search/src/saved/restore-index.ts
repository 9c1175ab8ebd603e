import { sha256Hex } from "@ccl/core";

import { SearchError } from "../search-error.ts";
import { addDocument, createDocumentTable } from "../table/document-table.ts";
import { createVectorTable } from "../vectors/vector-table.ts";
import { createByteReader, damaged, type ByteReader } from "./byte-reader.ts";
import {
  hexToBytes,
  savedMagic,
  savedVersion,
  type IndexFormat,
  type IndexState,
  type SavedHeader,
} from "./saved-index.ts";
import { createStoredPostings } from "./stored-postings.ts";

const hashSize = 32;
const maxLength = 2 ** 32 - 1;

/**
 * Restores a saved index.
 * @throws SearchError `index_damaged` if the bytes changed, `invalid_options` if they were saved by
 * another version, with another analyzer or precision, or from an index with other fields
 */
export function restoreIndex(bytes: Uint8Array, expected: IndexFormat): IndexState {
  const reader = createByteReader(checkedBody(bytes));
  try {
    const json = reader.readBytes(reader.readCount(maxLength));
    const header: SavedHeader = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json));
    checkFormat(header, expected);
    const postings = new Map<string, Uint8Array | number[]>();
    const state: IndexState = {
      table: createDocumentTable(),
      text: createStoredPostings(postings),
      vectors: createVectorTable(header.precision),
    };
    readDocuments(reader, state, header);
    for (const term of header.terms)
      postings.set(term, reader.readBytes(reader.readCount(maxLength)));
    readVectors(reader, state, header);
    if (!reader.isAtEnd()) throw damaged("something follows its end");
    return state;
  } catch (error) {
    if (SearchError.isInstance(error)) throw error;
    throw damaged("it cannot be read", error);
  }
}

function checkedBody(bytes: Uint8Array): Uint8Array {
  const start = savedMagic.length;
  if (bytes.length < start + hashSize + 2 || savedMagic.some((byte, at) => bytes[at] !== byte))
    throw damaged("it does not begin like one");
  if (bytes[start] !== savedVersion) {
    throw new SearchError(
      "invalid_options",
      `The saved index has format ${bytes[start]}, this code reads ${savedVersion}. Build it again from the documents.`,
    );
  }
  const body = bytes.subarray(0, bytes.length - hashSize);
  const hash = hexToBytes(sha256Hex(body));
  if (hash.some((byte, at) => bytes[body.length + at] !== byte))
    throw damaged("its hash does not match");
  return body.subarray(start + 1);
}

function checkFormat(header: SavedHeader, expected: IndexFormat): void {
  const formatOf = ({ analyzer, fields, precision }: IndexFormat): string =>
    `the analyzer ${JSON.stringify(analyzer)}, ${precision} vectors and the fields ${fields.join(", ")}`;
  if (formatOf(header) === formatOf(expected)) return;
  throw new SearchError(
    "invalid_options",
    `The saved index has ${formatOf(header)}, not ${formatOf(expected)}. Build it again from the documents.`,
  );
}

function readDocuments(
  reader: ByteReader,
  { table }: IndexState,
  { ids, containers, facets, fields }: SavedHeader,
): void {
  for (const id of ids) {
    const container = containers[reader.readCount(containers.length - 1)] ?? "";
    const lengths = fields.map(() => reader.readCount(maxLength));
    const own = Array.from(
      { length: reader.readCount(facets.length) },
      () => facets[reader.readCount(facets.length - 1)] ?? (["", ""] as const),
    );
    addDocument(table, { id, container, facets: own, lengths });
  }
}

function readVectors(reader: ByteReader, { vectors }: IndexState, header: SavedHeader): void {
  const { dimensions, vectorCount, ids, precision } = header;
  vectors.dimensions = dimensions;
  for (let count = 0; count < vectorCount; count += 1) {
    const slot = reader.readCount(ids.length - 1);
    const scale = reader.readFloat32();
    const values =
      precision === "int8"
        ? Int8Array.from(reader.readBytes(dimensions))
        : Float32Array.from({ length: dimensions }, () => reader.readFloat32());
    vectors.rows.set(slot, { values, scale });
  }
}
