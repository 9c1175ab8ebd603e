import { evaluateCatalog, formatEvaluations } from "@ccl/catalog";

import { openSnapshot, readCatalog, saveIndex } from "../catalog/read-catalog.ts";
import { CliError } from "../cli-error.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { CommandResult } from "../output/command-result.ts";
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
  const catalog = openSnapshot(read, counter);
  const evaluation = await evaluateCatalog(catalog, { queries, qrels, budgets, signal });
  await saveIndex(read, catalog, signal);
  const known = new Set(read.content.records.map(({ record }) => record.id));
  const unknown = [...new Set(qrels.map(({ rid }) => rid))].filter((rid) => !known.has(rid));
  const isTooLow = minRecall !== undefined && evaluation.recallAt10 < minRecall;
  const notes = [
    evaluation.skipped.length === 0
      ? ""
      : `Without a relevant resource: ${evaluation.skipped.join(", ")}.\n`,
    unknown.length === 0 ? "" : `The catalog lacks ${unknown.join(", ")}.\n`,
    isTooLow ? `R@10 is ${evaluation.recallAt10.toFixed(3)}, below ${minRecall}.\n` : "",
  ];
  return {
    document: {
      ...evaluation,
      unknownResources: unknown,
      counter: counter ? counter.name : undefined,
    },
    text: () => `${formatEvaluations({ catalog: evaluation })}\n`,
    note: () => notes.map((line) => (line === "" ? "" : `${printable(line.trimEnd())}\n`)).join(""),
    exitCode: isTooLow ? EXIT_CODES.checkFailed : EXIT_CODES.ok,
  };
}

type Row = Record<string, unknown>;

/** JSONL, each line read by `read`; the first line that does not fit is named. */
async function readLines<T>(
  session: Session,
  file: string,
  read: (row: Row) => T | string,
): Promise<T[]> {
  const text = await readInput(session, file, "one JSON document a line");
  const values: T[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === "") continue;
    const value = read(parsedRow(line, `${file}:${index + 1}`));
    if (typeof value === "string")
      throw new CliError("input_invalid", `${file}:${index + 1}: ${value}`);
    values.push(value);
  }
  if (values.length === 0) throw new CliError("input_invalid", `${file} is empty.`);
  return values;
}

function parsedRow(line: string, place: string): Row {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new CliError("input_invalid", `${place} is no JSON.`, { cause: error });
  }
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function toQuery({ qid, text }: Row): { qid: string; text: string } | string {
  return typeof qid === "string" && typeof text === "string"
    ? { qid, text }
    : "qid and text must be texts.";
}

function toQrel({
  qid,
  rid,
  rel,
}: Row): { qid: string; rid: string; rel?: number | undefined } | string {
  if (typeof qid !== "string" || typeof rid !== "string") return "qid and rid must be texts.";
  if (rel !== undefined && typeof rel !== "number") return "rel must be a number.";
  return { qid, rid, rel };
}
