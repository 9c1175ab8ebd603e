import { isRecord } from "@ccl/core/json";

import type { ContextRequest } from "../plan/plan.ts";
import { quote } from "../plan-issue.ts";
import { createFieldReader, type FieldReader } from "./field-reader.ts";
import type { ReadContext } from "./read-action.ts";

const READERS: Readonly<
  Record<ContextRequest["type"], (reader: FieldReader) => ContextRequest | undefined>
> = {
  read_file: readFileRequest,
  search: readSearchRequest,
  logs: readLogsRequest,
  env: (reader) => {
    reader.refuseOthers(["type"]);
    return { type: "env" };
  },
};

/** One request for context; undefined with `ERR_CONTEXT_REQUEST` if it is none. */
export function readContextRequest(
  value: unknown,
  { path, issues }: ReadContext,
): ContextRequest | undefined {
  const code = "ERR_CONTEXT_REQUEST";
  if (!isRecord(value)) {
    issues.push({ code, path, message: "A request for context must be an object with a type." });
    return undefined;
  }
  const reader = createFieldReader(value, { path, issues, code });
  const type = reader.text("type");
  if (type !== undefined && isRequestType(type)) return READERS[type](reader);
  const given =
    type === undefined ? "A request for context needs a type" : `There is no type ${quote(type)}`;
  reader.refuse("type", `${given}. Known are ${Object.keys(READERS).join(", ")}.`);
  return undefined;
}

function isRequestType(type: string): type is ContextRequest["type"] {
  return Object.hasOwn(READERS, type);
}

function readFileRequest(reader: FieldReader): ContextRequest | undefined {
  const path = required(reader, "path");
  const start = reader.count("start_line");
  const end = reader.count("end_line");
  reader.refuseOthers(["type", "path", "start_line", "end_line"]);
  if (start !== undefined && end !== undefined && end < start)
    reader.refuse("end_line", `The range ends at ${end}, before it starts at ${start}.`);
  if (path === undefined) return undefined;
  return {
    type: "read_file",
    path,
    start_line: start,
    end_line: end,
  };
}

function readSearchRequest(reader: FieldReader): ContextRequest | undefined {
  const query = required(reader, "query");
  const glob = reader.text("glob");
  reader.refuseOthers(["type", "query", "glob"]);
  if (query === undefined) return undefined;
  return glob === undefined || glob === ""
    ? { type: "search", query }
    : { type: "search", query, glob };
}

function readLogsRequest(reader: FieldReader): ContextRequest | undefined {
  const source = required(reader, "source");
  const last = reader.count("last_n");
  reader.refuseOthers(["type", "source", "last_n"]);
  if (source === undefined) return undefined;
  return last === undefined ? { type: "logs", source } : { type: "logs", source, last_n: last };
}

function required(reader: FieldReader, key: string): string | undefined {
  const text = reader.text(key);
  if (text !== undefined && text.trim() !== "") return text;
  reader.refuse(key, `${quote(key)} is needed here.`);
  return undefined;
}
