import type { ResourceDetails } from "@ccl/catalog";
import { answerRows, answerShape, type RowPage } from "../connector/answer-rows.ts";
import { QueryError } from "../query-error.ts";

const rowsOfPage = 4_096;

interface JsonOptions {
  source: string;
  resource: ResourceDetails;
}

/** Yields the rows of a JSON document. @throws QueryError `value_invalid` */
export async function* jsonPage(
  text: AsyncIterable<string>,
  { source, resource, rowsAt }: JsonOptions & { rowsAt: string | undefined },
): AsyncGenerator<RowPage, void> {
  const pieces: string[] = [];
  for await (const piece of text) pieces.push(piece);
  yield answerRows(parsed(pieces.join(""), source), answerShape(resource, rowsAt), source);
}

/** Yields one row per line. Skips empty lines. @throws QueryError `value_invalid` with the line number */
export async function* jsonLinePages(
  text: AsyncIterable<string>,
  { source }: JsonOptions,
): AsyncGenerator<RowPage, void> {
  let rows: unknown[] = [];
  let line = 0;
  let rest: string[] = [];
  const add = (written: string): void => {
    line += 1;
    if (written.trim() !== "") rows.push(parsed(written, `${source}, line ${line}`));
  };
  const shape = { path: undefined, prefix: "" };
  for await (const piece of text) {
    const lines = piece.split("\n");
    const last = lines.pop() ?? "";
    for (const written of lines) {
      add(rest.join("") + written);
      rest = [];
      if (rows.length < rowsOfPage) continue;
      yield answerRows(rows, shape, source);
      rows = [];
    }
    if (last !== "") rest.push(last);
  }
  add(rest.join(""));
  if (rows.length > 0) yield answerRows(rows, shape, source);
}

function parsed(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new QueryError("value_invalid", `${source} holds JSON that does not parse.`, {
      cause: error,
    });
  }
}
