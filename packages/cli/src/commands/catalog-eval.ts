import { evaluateCatalog, formatEvaluations } from "@ccl/catalog";
import { isRecord, numberAt, parseJson, stringAt } from "@ccl/core/json";

import { readCatalog, withSnapshot } from "../catalog/read-catalog.ts";
import { CliError } from "../cli-error.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { CommandResult } from "../output/command-result.ts";
import { lineOf } from "../output/format-number.ts";
import { printable } from "../output/printable.ts";
import { readInput } from "../plan/read-input.ts";
import type { Session } from "../session.ts";
import { openCounter, type Encoding } from "../token-counter.ts";

/** Flags of `ccl catalog eval`. */
export interface CatalogEvalFlags {
  queries: string;
  qrels: string;
  budgets?: number[] | undefined;
  minRecall?: number | undefined;
  modelEncoding: Encoding;
}

/** Measures search, and contexts within budgets, on labelled questions. */
export async function catalogEval(
  session: Session,
  flags: CatalogEvalFlags,
): Promise<CommandResult> {
  const { signal } = session;
  const { budgets = [], minRecall } = flags;
  const read = await readCatalog(session);
  const queries = await readLines(session, flags.queries, toQuery);
  const qrels = await readLines(session, flags.qrels, toQrel);
  const counter = budgets.length === 0 ? undefined : await openCounter(flags.modelEncoding);
  const evaluation = await withSnapshot(read, { signal, counter }, (catalog) =>
    evaluateCatalog(catalog, { queries, qrels, budgets, signal }),
  );
  const known = new Set(read.content.records.map(({ record }) => record.id));
  const unknown = [...new Set(qrels.map(({ rid }) => rid))].filter((rid) => !known.has(rid));
  const isTooLow = minRecall !== undefined && evaluation.recallAt10 < minRecall;
  const notes = [
    evaluation.skipped.length === 0
      ? ""
      : `Without a relevant resource: ${evaluation.skipped.join(", ")}.`,
    unknown.length === 0 ? "" : `The catalog lacks ${unknown.join(", ")}.`,
    isTooLow ? `R@10 is ${evaluation.recallAt10.toFixed(3)}, below ${minRecall}.` : "",
  ];
  return {
    document: {
      ...evaluation,
      unknownResources: unknown,
      counter: counter?.name,
    },
    text: () => `${formatEvaluations({ catalog: evaluation })}\n`,
    note: () => notes.map((line) => lineOf(printable(line))).join(""),
    exitCode: isTooLow ? EXIT_CODES.checkFailed : EXIT_CODES.ok,
  };
}

/** JSONL, each line read by `read`; the first line that does not fit is named. */
async function readLines<T>(
  session: Session,
  file: string,
  read: (row: unknown) => T | string,
): Promise<T[]> {
  const text = await readInput(session, file, "one JSON document a line");
  const refuse = (message: string): never => {
    throw new CliError("input_invalid", `${file}${message}`);
  };
  const values = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .flatMap((line, index) => {
      if (line.trim() === "") return [];
      const row = parseJson(line) ?? refuse(`:${index + 1} is no JSON.`);
      const value = read(row);
      return typeof value === "string" ? refuse(`:${index + 1}: ${value}`) : [value];
    });
  return values.length === 0 ? refuse(" is empty.") : values;
}

function toQuery(row: unknown): { qid: string; text: string } | string {
  const [qid, text] = [stringAt(row, "qid"), stringAt(row, "text")];
  return qid === undefined || text === undefined ? "qid and text must be texts." : { qid, text };
}

function toQrel(row: unknown): { qid: string; rid: string; rel?: number | undefined } | string {
  const [qid, rid, rel] = [stringAt(row, "qid"), stringAt(row, "rid"), numberAt(row, "rel")];
  if (qid === undefined || rid === undefined) return "qid and rid must be texts.";
  if (rel === undefined && isRecord(row) && row["rel"] !== undefined)
    return "rel must be a number.";
  return { qid, rid, rel };
}
