import assert from "node:assert/strict";
import type { ArtifactHandle, StoreItem } from "../artifact-store.ts";
import { type Bench, inPieces, listAll, expectError, someBytes, type Rule } from "./bench.ts";

/** Size of one content in a scenario, in bytes. */
export const scenarioBytes = 1_000;

/** Limits of a scenario, counted in contents. */
interface ScenarioLimits {
  store?: number;
  session?: number;
  evict?: boolean;
}

/** Steps on an empty store, and the numbers of the puts whose handles must remain. */
export type Scenario = readonly [
  name: string,
  steps: string,
  remaining: string,
  limits?: ScenarioLimits,
];

const putStep = /^(\d)(~)?(?:\*(\d))?(?:@(\w))?(?::(\w))?$/;
const deletionStep = /^-(\d)(?:@(\w))?(?:#(\d))?(\?)?$/;
const clockStep = /^\+(\d+)$/;
const collectionStep = /^(gc|dry)(\d*):(\d*)$/;

const contentOf = (seed: string, times = "1"): Uint8Array =>
  someBytes(scenarioBytes * Number(times), Number(seed));

function itemOf(step: string): StoreItem {
  const [, seed = "", isStream, times, sessionId, source = "test"] =
    putStep.exec(step) ?? assert.fail(`${step} is not a put`);
  const bytes = contentOf(seed, times);
  const content = isStream === undefined ? bytes : inPieces(bytes, 2, 70);
  return { content, source: `tool:${source}`, sessionId };
}

/**
 * Runs steps and returns the handles of the puts. `1` puts content 1, `1@a` in session a, `1:x` from source x, `1*3`
 * three times as long, `1~` as a stream, `[1 2]` both as a batch. `-1` deletes its references, `-1@a` those of session
 * a, `-1#0` the one of put 0, and a `?` after it expects that there is none. `gc:12` must free exactly contents 1 and
 * 2, `gc50:` frees what was unused for 50 ms, `dry:` only reports. `+50` advances the clock. `!` after a put expects
 * that a limit rejects it.
 */
export async function runSteps(bench: Bench, steps: string): Promise<ArtifactHandle[]> {
  const handles: ArtifactHandle[] = [];
  for (const step of steps.match(/\[.*?\]\S*|\S+/g) ?? []) {
    if (step.endsWith("!"))
      await expectError("limit_exceeded", () => runStep(bench, step.slice(0, -1), handles));
    else await runStep(bench, step, handles);
  }
  return handles;
}

async function runStep(bench: Bench, step: string, handles: ArtifactHandle[]): Promise<void> {
  const { store, clock } = bench;
  const [, durationMs] = clockStep.exec(step) ?? [];
  if (durationMs !== undefined) return clock.advance(Number(durationMs));
  const [, mode, graceMs, freed = ""] = collectionStep.exec(step) ?? [];
  if (mode !== undefined) {
    const report = await store.collectGarbage({ graceMs: Number(graceMs), dryRun: mode === "dry" });
    const freedIds = await Promise.all(Array.from(freed, (seed) => bench.idOf(contentOf(seed))));
    const freedBytes = freedIds.length * bench.storedBytes(scenarioBytes);
    assert.deepEqual(report, { artifactIds: freedIds.sort(), freedBytes });
    return;
  }
  const [, seed, sessionId, putNumber, hasNone] = deletionStep.exec(step) ?? [];
  if (seed !== undefined) {
    const handleId = putNumber === undefined ? undefined : handles[Number(putNumber)]?.handleId;
    const artifactId = await bench.idOf(contentOf(seed));
    const isDeleted = await store.delete(artifactId, { sessionId, handleId });
    assert.equal(isDeleted, hasNone === undefined, `whether ${step} found a reference`);
    if (step === `-${seed}`) await bench.expectAbsent(contentOf(seed));
    return;
  }
  clock.advance(1);
  if (step.startsWith("[")) {
    const items = step.slice(1, -1).match(/\S+/g) ?? [];
    handles.push(...(await store.storeMany(items.map(itemOf))));
  } else {
    const { content, ...options } = itemOf(step);
    handles.push(await store.store(content, options));
  }
}

/** Asserts that exactly these handles remain, and that their contents can be read. */
export async function expectHandles(
  bench: Bench,
  handles: readonly ArtifactHandle[],
): Promise<void> {
  assert.deepEqual(await listAll(bench.store), handles);
  for (const { artifactId, sizeBytes } of handles) {
    const siblings = handles.filter((handle) => handle.artifactId === artifactId);
    assert.deepEqual(await bench.store.getHandles(artifactId), siblings);
    assert.equal((await bench.store.retrieve(artifactId))?.length, sizeBytes);
  }
}

/** Converts a scenario to a rule. */
export function ruleOf([name, steps, remaining, limits]: Scenario): Rule {
  return {
    name,
    needs: limits && "limits",
    limits: limits && limitsOf(limits),
    async check(bench) {
      const handles = await runSteps(bench, steps);
      const numbers: string[] = remaining.match(/\d+/g) ?? [];
      await expectHandles(
        bench,
        handles.filter((_, index) => numbers.includes(String(index))),
      );
    },
  };
}

function limitsOf({ store, session, evict }: ScenarioLimits): Rule["limits"] {
  return (of) => ({
    maxStoreBytes: store && store * of(scenarioBytes),
    maxSessionBytes: session && session * of(scenarioBytes),
    whenFull: evict === true ? "evict" : "reject",
  });
}
