import type { InspectorSource } from "@ccl/inspector";
import { artifactsOf, runPrompt, stateOf } from "@ccl/inspector/stores";
import type { OperationStores } from "@ccl/operations";

import { isPostgres } from "../catalog/source-draft.ts";
import { allEvents, loadRun, newestRuns, withStores } from "../run-stores.ts";
import type { Session } from "../session.ts";

const shownRuns = 100;

/** Creates the views of operation runs at an address of PostgreSQL or in a SQLite file, opened read-only. */
export function runViews(
  session: Session,
  runs: string,
): Required<Pick<InspectorSource, "runs" | "run" | "sent">> {
  const where = isPostgres(runs) ? { postgres: runs } : { store: runs };
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
