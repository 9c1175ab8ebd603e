import { statSync } from "node:fs";
import { resolve } from "node:path";

import { type NodeRecordsPlace, salvageRecords } from "@ccl/records/node";

import { CliError } from "../cli-error.ts";
import type { CommandResult } from "../output/command-result.ts";
import { finding, findingsResult } from "../output/findings.ts";
import { formatCount, formatNumber } from "../output/format-number.ts";
import type { Session } from "../session.ts";

/** Reads a whole store of records, reports what is lost, and copies intact records to `copy` if given. */
export async function doctorStore(
  { terminal, signal }: Session,
  store: string,
  copy: string | undefined,
): Promise<CommandResult> {
  const from = resolve(terminal.cwd(), store);
  const isFolder = statSync(from, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) throw new CliError("input_invalid", `Nothing is at ${from}.`);
  const placeAt = (path: string): NodeRecordsPlace =>
    isFolder ? { folder: path } : { sqlite: { path } };
  const to = copy === undefined ? ":memory:" : resolve(terminal.cwd(), copy);
  const { lost, records, entries } = await salvageRecords(
    { from: placeAt(from), to: copy === undefined ? { sqlite: { path: to } } : placeAt(to) },
    { signal },
  );
  const intact = `${formatCount(records, "record")} and ${formatNumber(entries)} entries of logs are intact`;
  const advice = 'copy the rest with "--copy <new place>"';
  return findingsResult(
    [
      finding("store", "ok", copy === undefined ? intact : `${intact}; copied to ${to}`),
      ...lost.map((sentence) => finding("lost", "problem", sentence)),
      ...(lost.length > 0 && copy === undefined ? [finding("next", "hint", advice)] : []),
    ],
    { store: from, records, entries, lost },
  );
}
