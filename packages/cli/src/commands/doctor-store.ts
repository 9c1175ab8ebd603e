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
  const to =
    copy === undefined ? { sqlite: { path: ":memory:" } } : placeAt(resolve(terminal.cwd(), copy));
  const { lost, ...counts } = await salvageRecords({ from: placeAt(from), to }, { signal });
  const intact = `${formatCount(counts.records, "record")} and ${formatNumber(counts.entries)} entries of logs are intact`;
  return findingsResult(
    [
      finding(
        "store",
        "ok",
        copy === undefined ? `${intact}; --copy copies them` : `${intact}; copied to ${copy}`,
      ),
      ...lost.map((sentence) => finding("lost", "problem", sentence)),
    ],
    { store: from, ...counts, lost },
  );
}
