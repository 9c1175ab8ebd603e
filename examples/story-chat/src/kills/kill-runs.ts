import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import {
  createOperationRegistry,
  createRunEngine,
  type RunEvent,
  type RunResult,
} from "@ccl/operations";

import type { StoryStores } from "../open-story.ts";
import { openPlace, withPlace, type StoryPlace } from "./story-place.ts";
import type { RecordedCall } from "./story-worker.ts";
import { startWorker, type WorkerProcess } from "./worker-process.ts";

const patienceMs = 60_000;

/**
 * Kills the process of a run of the story several times, each time at a later event. The run then continues: in a new
 * process from SQLite, or, with a PostgreSQL server, in a second worker on DBOS that takes it over by itself. Fails
 * unless each run ends with the result of an undisturbed one, and no finished call is repeated.
 */
export async function killRuns(kills: number, server?: string): Promise<void> {
  console.log(
    server === undefined ? "\nIn process, from SQLite" : "\nTwo workers on DBOS, in PostgreSQL",
  );
  await withPlace(server, async (place, folder) => {
    const { stores, close } = await openPlace(place);
    const hunt: Hunt = { place, stores, callsPath: join(folder, "calls.jsonl") };
    try {
      await (server === undefined ? huntInProcess(hunt, kills) : huntOnDbos(hunt, kills));
    } finally {
      await close();
    }
  });
}

interface Hunt {
  place: StoryPlace;
  stores: StoryStores;
  callsPath: string;
}

async function huntInProcess(hunt: Hunt, kills: number): Promise<void> {
  const first = await startWorker(hunt);
  const whole = await endOf(hunt, await first.start("whole"));
  await first.close();
  const tally = createTally(whole);
  for (let kill = 0; kill < kills; kill += 1) {
    const victim = await startWorker(hunt);
    const killed = await killOnce(hunt, victim, { kill, kills, whole });
    const heir = await startWorker(hunt);
    heir.resume(killed.runId);
    tally.add(killed, await endOf(hunt, killed.runId), await callsOf(hunt, killed.runId));
    await heir.close();
  }
  tally.check(kills);
}

async function huntOnDbos(hunt: Hunt, kills: number): Promise<void> {
  let [victim, heir] = await Promise.all([startWorker(hunt), startWorker(hunt)]);
  const whole = await endOf(hunt, await victim.start("whole"));
  const tally = createTally(whole);
  for (let kill = 0; kill < kills; kill += 1) {
    const killed = await killOnce(hunt, victim, { kill, kills, whole });
    tally.add(killed, await endOf(hunt, killed.runId), await callsOf(hunt, killed.runId));
    [victim, heir] = [heir, await startWorker(hunt)];
  }
  await Promise.all([victim.close(), heir.close()]);
  tally.check(kills);
}

/** A run at the moment when its process was killed. */
interface KilledRun {
  runId: string;
  /** The number of the event at which its process was killed, and the number of events of a whole run. */
  at: number;
  of: number;
  /** True if the run had ended before the signal arrived. */
  wasOver: boolean;
  /** Names of the calls that had ended by then. */
  finished: string[];
  calls: Map<string, number>;
}

interface EndedRun {
  result: RunResult;
  events: RunEvent[];
}

async function killOnce(
  hunt: Hunt,
  victim: WorkerProcess,
  { kill, kills, whole }: { kill: number; kills: number; whole: EndedRun },
): Promise<KilledRun> {
  const of = whole.events.length;
  const at = 1 + Math.floor((kill * (of - 2)) / kills);
  let events = 0;
  const runId = await victim.startUntilKilled(`kill-${kill}`, () => (events += 1) === at);
  const stored = await hunt.stores.runs.loadRun(runId);
  const finished = (stored?.steps ?? []).flatMap((step) => {
    if (step.kind === "operation") return [`${step.hook}/${step.operationId}`];
    return step.kind === "main_llm" ? ["main"] : [];
  });
  return {
    runId,
    at,
    of,
    wasOver: stored?.result !== undefined,
    finished,
    calls: await callsOf(hunt, runId),
  };
}

/** Waits for the end of a run, whichever process executes it. */
async function endOf({ stores }: Hunt, runId: string): Promise<EndedRun> {
  const nobody = {
    provider: "none",
    modelId: "none",
    generate: () => Promise.reject(new Error("Only readers here.")),
  };
  const reader = createRunEngine({
    registry: createOperationRegistry(),
    mainModel: nobody,
    recover: false,
    ...stores,
  });
  const events: RunEvent[] = [];
  const signal = AbortSignal.timeout(patienceMs);
  for await (const event of reader.events(runId, { signal })) events.push(event);
  const stored = await stores.runs.loadRun(runId);
  if (stored?.result === undefined)
    throw new Error(`The run ${runId} has not ended in ${patienceMs / 1_000} s.`);
  return { result: stored.result, events };
}

/** How often each operation and the main model were called for a run. */
async function callsOf({ callsPath }: Hunt, runId: string): Promise<Map<string, number>> {
  const text = await readFile(callsPath, "utf8").catch(() => "");
  const calls = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const call: RecordedCall = JSON.parse(line);
    if (call.runId === runId) calls.set(call.name, (calls.get(call.name) ?? 0) + 1);
  }
  return calls;
}

interface Tally {
  add(killed: KilledRun, ended: EndedRun, calls: Map<string, number>): void;
  /** Fails if too few kills hit a running run, because the test would then prove nothing. */
  check(kills: number): void;
}

function createTally(whole: EndedRun): Tally {
  let hits = 0;
  let kept = 0;
  let calledAgain = 0;
  return {
    add({ runId, at, of, wasOver, finished, calls: before }, { result, events }, after) {
      const again = finished.filter((name) => after.get(name) !== before.get(name));
      const repeated = [...after].filter(([name, times]) => times > 1 && !finished.includes(name));
      console.log(
        `  ${wasOver ? "–" : "✓"} killed at event ${String(at).padStart(2)} of ${of}: ${finished.length} of 5 calls had ended, ${again.length} called again; ${repeated.length} were cut off and called again`,
      );
      assert.deepEqual(again, [], `what had ended is not called again in ${runId}`);
      assert.deepEqual(
        comparable(result),
        comparable(whole.result),
        `${runId} ends as if nobody had disturbed it`,
      );
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1),
        `the events of ${runId} have no gap`,
      );
      if (!wasOver) hits += 1;
      kept += finished.length;
      calledAgain += repeated.length;
    },
    check(kills) {
      console.log(
        `  ${hits} of ${kills} kills hit a run under way; ${kept} calls had ended and were kept, ${calledAgain} were cut off`,
      );
      assert.ok(hits > kills / 2, "most kills hit a run under way");
    },
  };
}

/** What must be the same however often a run was interrupted: everything except times, ids and attempts. */
function comparable({ status, operationRuns, mainLlm, commitLog, artifacts }: RunResult): unknown {
  const ends = operationRuns.map(
    ({ hook, operationId, status: end }) => `${hook}/${operationId} ${end}`,
  );
  return { status, ends, answer: mainLlm.text, commitLog, artifacts };
}
