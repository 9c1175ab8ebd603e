import { S3Client } from "@aws-sdk/client-s3";
import { createMemoryRecords, type RecordChange, type Records } from "@ccl/records";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openS3ArtifactStore, type S3ArtifactStore } from "../index.ts";
import { startS3TestServer, type S3TestServer } from "../testing/index.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const isAtLength = isAtLeast("faults");
/** How often a schedule may change from one actor to the other; every schedule within it is run. */
const switches = isAtLeast("nightly") ? 3 : 2;
const source = "tool:test";
const content = "the same bytes";

let server: S3TestServer;
beforeAll(async () => {
  server = await startS3TestServer({ maxBytes: 1024 ** 3 });
  checker = new S3Client(server.clientConfig);
});
afterAll(async () => {
  checker.destroy();
  await server.close();
});

/** One side of a race: its requests and its calls of records wait, and are let through one at a time. */
class Actor {
  readonly client: S3Client;
  #waiting: (() => void)[] = [];
  #isHeld = false;
  #isFinished = false;
  #changed: () => void = () => undefined;
  #underWay = 0;
  readonly requests: string[] = [];

  constructor() {
    this.client = new S3Client({ ...server.clientConfig, maxAttempts: 1 });
    this.client.middlewareStack.add(
      (next, { commandName = "" }) =>
        async (args) => {
          if (this.#isHeld) await this.#turn();
          this.requests.push(commandName);
          this.#underWay += 1;
          try {
            return await next(args);
          } finally {
            this.#underWay -= 1;
            // What the answer leads to comes in later turns of the event loop.
            setImmediate(() => setImmediate(() => this.#changed()));
          }
        },
      { step: "initialize" },
    );
  }

  async open(prefix: string, shared: Records): Promise<S3ArtifactStore> {
    const inTurn = async <Value>(name: string, call: () => Promise<Value>): Promise<Value> => {
      if (this.#isHeld) await this.#turn();
      this.requests.push(name);
      this.#underWay += 1;
      return await call().finally(() => {
        this.#underWay -= 1;
        setImmediate(() => setImmediate(() => this.#changed()));
      });
    };
    const records: Records = {
      ...shared,
      getMany: (names, options) => inTurn("getMany", () => shared.getMany(names, options)),
      list: (options) => inTurn("list", () => shared.list(options)),
      write: (changes, options) =>
        inTurn("write", () => shared.write(changes.map(this.spoil), options)),
    };
    return await openS3ArtifactStore({ client: this.client, bucket: "artifacts", records, prefix });
  }

  /** What becomes of a change that is written, for the control. */
  spoil: (change: RecordChange) => RecordChange = (change) => change;

  /** Starts a call whose requests wait from now on. */
  start(call: () => Promise<unknown>): Promise<unknown> {
    this.#isHeld = true;
    const done = call().finally(() => {
      this.#isFinished = true;
      this.#changed();
    });
    done.catch(() => undefined);
    return done;
  }

  /** Lets one request through and waits for what it leads to; false when the call is over. */
  async step(): Promise<boolean> {
    await this.#settled();
    const next = this.#waiting.shift();
    next?.();
    if (next !== undefined) await this.#settled();
    return next !== undefined;
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#changed();
    });
  }

  async #settled(): Promise<void> {
    for (let quiet = 0; quiet < 3;) {
      const isStill = this.#underWay === 0 && (this.#waiting.length > 0 || this.#isFinished);
      quiet = isStill ? quiet + 1 : 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** How many requests the actors run in turn: the first one, the other one, the first one, ... and then both to their end. */
type Schedule = readonly number[];

interface Race {
  collectorFirst: boolean;
  /** The state that the race begins with. */
  prepare(store: S3ArtifactStore): Promise<void>;
  /** What the collector makes of its changes, for the control. */
  spoil?: (change: RecordChange) => RecordChange;
}

let races = 0;
/** Looks at what every race left. */
let checker: S3Client;

interface Outcome {
  /** Whether the acknowledged put can be read. */
  isKept: boolean;
  missing: string[];
  damaged: string[];
  /** Requests that were run in each stretch, fewer than asked when the actor was done. */
  stretches: number[];
}

async function race(
  { prepare, spoil, collectorFirst }: Race,
  schedule: Schedule,
): Promise<Outcome> {
  races += 1;
  const prefix = `race-${races}/`;
  const [putter, collector] = [new Actor(), new Actor()];
  const records = createMemoryRecords();
  const putting = await putter.open(prefix, records);
  const collecting = await collector.open(prefix, records);
  await prepare(putting);
  if (spoil !== undefined) collector.spoil = spoil;
  const put = putter.start(() => putting.store(content, { source }));
  const collection = collector.start(() => collecting.collectGarbage({ graceMs: 0 }));
  const order = collectorFirst ? [collector, putter] : [putter, collector];
  const stretches: number[] = [];
  for (const [turn, count] of [...schedule, Infinity, Infinity, Infinity].entries()) {
    const actor = order[turn % 2];
    let done = 0;
    while (done < count && (await actor?.step()) === true) done += 1;
    stretches.push(done);
  }
  await Promise.all([put, collection]);
  const store = await openS3ArtifactStore({
    client: checker,
    bucket: "artifacts",
    records,
    prefix,
  });
  const { handles } = await store.listHandles();
  const kept = await store
    .retrieve(handles.at(-1)?.artifactId ?? "0".repeat(64))
    .catch(() => undefined);
  const { missing, damaged } = await store.verify();
  for (const { client } of [putter, collector]) client.destroy();
  return {
    isKept: kept !== undefined && new TextDecoder().decode(kept) === content,
    missing,
    damaged,
    stretches,
  };
}

/**
 * Runs every schedule with up to that many stretches before both run to their end, or with `isOneEnough` those up to the
 * first that loses the put; gives those that did.
 */
async function allSchedules(
  side: Race,
  { depth, isOneEnough = false }: { depth: number; isOneEnough?: boolean },
): Promise<{ lost: Schedule[]; count: number }> {
  const lost: Schedule[] = [];
  let count = 0;
  const explore = async (before: Schedule): Promise<void> => {
    for (let length = 1; ; length += 1) {
      if (isOneEnough && lost.length > 0) return;
      const schedule = [...before, length];
      const outcome = await race(side, schedule);
      // A stretch longer than the actor's call is the schedule before it again.
      if ((outcome.stretches[schedule.length - 1] ?? 0) < length) return;
      count += 1;
      if (!outcome.isKept || outcome.missing.length > 0 || outcome.damaged.length > 0)
        lost.push(schedule);
      if (schedule.length < depth) await explore(schedule);
    }
  };
  await explore([]);
  return { lost, count };
}

const prepare = {
  "bytes that lie there without a handle": async (store: S3ArtifactStore) => {
    const { artifactId } = await store.store(content, { source });
    await store.delete(artifactId);
  },
  "bytes that were never there": async () => undefined,
};

describe("a put and a collection of the same bytes at the same moment", () => {
  const cases = Object.entries(prepare).flatMap(([state, prepare]) => [
    { state, first: "the put", collectorFirst: false, prepare },
    { state, first: "the collection", collectorFirst: true, prepare },
  ]);
  // What begins matters most where there are bytes to lose; the longer runs try all four.
  const tried = isAtLength ? cases : cases.slice(0, 1).concat(cases.slice(-1));

  it.each(tried)(
    `keep what was acknowledged in every order with ${switches} changes: $state, $first begins`,
    { timeout: 1_800_000 },
    async (side) => {
      const { lost, count } = await allSchedules(side, { depth: switches });
      expect(lost).toEqual([]);
      expect(count).toBeGreaterThan(10);
    },
  );

  it(
    "would lose it if the collection did not check the version that it read, so the check can fail",
    { timeout: 1_800_000 },
    async () => {
      const spoil = (change: RecordChange): RecordChange => ({
        ...change,
        expectedVersion: undefined,
      });
      const { lost } = await allSchedules(
        { collectorFirst: false, prepare: prepare["bytes that lie there without a handle"], spoil },
        { depth: 2, isOneEnough: true },
      );
      expect(lost).not.toEqual([]);
    },
  );
});
