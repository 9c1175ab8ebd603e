import { join } from "node:path";

import type { InspectorSource } from "@ccl/inspector";
import { artifactsOf, runPrompt, stateOf } from "@ccl/inspector/stores";
import type { OperationStores } from "@ccl/operations";

import { allEvents, loadRun, newestRuns } from "../runs/load-runs.ts";
import { withStores } from "../runs/with-stores.ts";
import type { Session } from "../session.ts";
import type { UiFlags } from "./ui-flags.ts";

/** The default file of an application's runs, found without `--runs`. */
export function runsFile({ root, directory }: Session, { runs }: UiFlags): string {
  return runs ?? join(root, directory, "operations.db");
}

/** True for the address of a database server. */
export function isAddress(runs: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(runs);
}

const shownRuns = 100;

/** Views of operation runs in SQLite or PostgreSQL, opened read-only. */
export function runViews(
  session: Session,
  flags: UiFlags,
): Required<Pick<InspectorSource, "runs" | "run" | "sent">> {
  const runs = runsFile(session, flags);
  const where = isAddress(runs) ? { postgres: runs } : { store: runs };
  const withRuns = <Value>(work: (stores: OperationStores) => Promise<Value>): Promise<Value> =>
    withStores(session, { ...where, isReadOnly: true }, work);
  return {
    runs: ({ limit = shownRuns }) =>
      withRuns(async (stores) => {
        const newest = await newestRuns(stores, { all: true, limit: Number(limit) });
        return {
          hasMore: newest.hasMore,
          runs: newest.runs.map(({ input: { runId, chatId, startedAt }, result }) => ({
            id: runId,
            chat: chatId,
            status: result?.status ?? "running",
            startedAtMs: startedAt,
            finishedAtMs: result?.finishedAt,
          })),
        };
      }),
    run: ({ id = "" }) =>
      withRuns(async (stores) => {
        const stored = await loadRun(stores, id);
        const artifacts = artifactsOf(await stateOf(stored.input, stores), id);
        return { ...stored, events: await allEvents(stores, id), artifacts };
      }),
    sent: ({ id = "" }) =>
      withRuns(async (stores) => {
        const stored = await loadRun(stores, id);
        return runPrompt(stored, stores, await stateOf(stored.input, stores));
      }),
  };
}
