import assert from "node:assert/strict";
import type { ArtifactHandle, StoreItem } from "../artifact-store.ts";
import { type Bench, inPieces, listAll, refuses, someBytes, type Rule } from "./bench.ts";

/** Bytes of one content of a play. */
export const playBytes = 1_000;

/** Limits of a play, counted in contents. */
interface PlayLimits {
  store?: number;
  session?: number;
  evict?: boolean;
}

/** What happens to a store, and the puts whose handles are left, by their numbers. */
export type Play = readonly [name: string, steps: string, left: string, limits?: PlayLimits];

const bytesOf = (seed: string, times = "1"): Uint8Array =>
  someBytes(playBytes * Number(times), Number(seed));

function itemOf(text: string): StoreItem {
  const [, seed = "", isStream, times, sessionId, source = "test"] =
    /^(\d)(~)?(?:\*(\d))?(?:@(\w))?(?::(\w))?$/.exec(text) ?? assert.fail(`${text} is no put`);
  const bytes = bytesOf(seed, times);
  const content = isStream === undefined ? bytes : inPieces(bytes, 2, 70);
  return { content, source: `tool:${source}`, sessionId };
}

/**
 * Plays steps and returns the handles of the puts. `1` puts content 1, `1@a` in session a, `1:x` from source x, `1*3` three
 * times as long, `1~` as a stream, `[1 2]` both as a batch. `-1` deletes its references, `-1@a` those of session a, `-1#0`
 * the one of put 0; `?` after it: there is none. `gc:12` frees exactly contents 1 and 2, `gc50:` what was unused for 50 ms,
 * `dry:` says what would go. `+50` advances the clock. `!` after a put: a limit refuses it.
 */
export async function play(bench: Bench, steps: string): Promise<ArtifactHandle[]> {
  const { store, clock } = bench;
  const stored: ArtifactHandle[] = [];
  const act = async (step: string): Promise<void> => {
    const [, what, ms, freed = ""] = /^(gc|dry|\+)(\d*):?(\d*)$/.exec(step) ?? [];
    if (what === "+") return clock.advance(Number(ms));
    if (what !== undefined) {
      const ids = Array.from(freed, (seed) => bench.idOf(bytesOf(seed)));
      assert.deepEqual(
        await store.collectGarbage({ graceMs: Number(ms), dryRun: what === "dry" }),
        {
          artifactIds: (await Promise.all(ids)).sort(),
          freedBytes: ids.length * bench.storedBytes(playBytes),
        },
      );
      return;
    }
    const [, seed = "", sessionId, put, isNone] =
      /^-(\d)(?:@(\w))?(?:#(\d))?(\?)?$/.exec(step) ?? [];
    if (seed === "") {
      clock.advance(1);
      const items = (step.match(/\d[^\s\]]*/g) ?? []).map(itemOf);
      const [item] = items;
      if (step.startsWith("[") || item === undefined)
        stored.push(...(await store.storeMany(items)));
      else stored.push(await store.store(item.content, item));
      return;
    }
    const handleId = put === undefined ? undefined : stored[Number(put)]?.handleId;
    const artifactId = await bench.idOf(bytesOf(seed));
    const isDeleted = await store.delete(artifactId, { sessionId, handleId });
    assert.equal(isDeleted, isNone === undefined, `whether ${step} found a reference`);
    if (/^-\d$/.test(step)) await bench.isAbsent(bytesOf(seed));
  };
  for (const step of steps.match(/\[.*?\]\S*|\S+/g) ?? []) {
    if (step.endsWith("!")) await refuses("limit_exceeded", () => act(step.slice(0, -1)));
    else await act(step);
  }
  return stored;
}

/** Asserts that exactly these handles are left, and that their contents can be read. */
export async function isLeft(bench: Bench, handles: readonly ArtifactHandle[]): Promise<void> {
  assert.deepEqual(await listAll(bench.store), handles);
  for (const { artifactId, sizeBytes } of handles) {
    const own = handles.filter((handle) => handle.artifactId === artifactId);
    assert.deepEqual(await bench.store.getHandles(artifactId), own);
    assert.equal((await bench.store.retrieve(artifactId))?.length, sizeBytes);
  }
}

/** The rule that a play is. */
export function ruleOf([name, steps, left, limits]: Play): Rule {
  return {
    name,
    needs: limits && "limits",
    limits: limits && limitsOf(limits),
    async check(bench) {
      const stored = await play(bench, steps);
      const kept = new Set(left.split(" "));
      await isLeft(
        bench,
        stored.filter((_, index) => kept.has(String(index))),
      );
    },
  };
}

function limitsOf({ store, session, evict }: PlayLimits): Rule["limits"] {
  return (of) => ({
    maxStoreBytes: store && store * of(playBytes),
    maxSessionBytes: session && session * of(playBytes),
    whenFull: evict === true ? "evict" : "reject",
  });
}
