import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { createMemoryRecords, RecordsError, type Records } from "@ccl/records";
import { openS3ArtifactStore, type S3ArtifactStore, type S3ArtifactStoreOptions } from "./index.ts";
import { startS3TestServer, type S3TestServer } from "./testing/index.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  earlierLimits,
  readEarlier,
  useEarlier,
} from "../../../scripts/damage/earlier-version.mjs";
import { byLength } from "../../../scripts/lengths/test-length.mjs";

const requestsPerStep = byLength({ ci: 9, faults: 1 });
const timeout = 900_000;
const fixture = new URL("__fixtures__/earlier-version.json.gz", import.meta.url);
let earlier: Awaited<ReturnType<typeof readEarlier>>;
let server: S3TestServer;
let client: S3Client;
let records: Records;
let prefix = "";
let places = 0;
beforeAll(async () => {
  earlier = await readEarlier(fixture);
  server = await startS3TestServer({ maxBytes: 1024 ** 3 });
  client = new S3Client({ ...server.clientConfig, maxAttempts: 1 });
});
afterAll(async () => {
  client.destroy();
  await server.close();
});
beforeEach(fill);

/** Puts what the earlier version wrote under a prefix of its own. */
async function fill(): Promise<void> {
  places += 1;
  prefix = `p${places}/`;
  records = createMemoryRecords();
  for (const [key, bytes] of Object.entries(earlier.files)) {
    const Key = key.replace("p/", prefix);
    const Body = Buffer.from(bytes, "base64");
    await client.send(new PutObjectCommand({ Bucket: "artifacts", Key, Body }));
  }
}

const open = (options: Partial<S3ArtifactStoreOptions> = {}): Promise<S3ArtifactStore> =>
  openS3ArtifactStore({
    client,
    bucket: "artifacts",
    records,
    prefix,
    limits: earlierLimits,
    ...options,
  });

const keys = (): string[] => server.keys().flatMap((key) => key.split(prefix)[1] ?? []);

/** What a store holds, and what is left in the bucket beside bytes. */
async function stateOf(store: S3ArtifactStore): Promise<object> {
  const former = keys().filter((key) => !/^(?:blobs\/|data\/|records$)/.test(key));
  return { ...(await store.listHandles()), ...(await store.verify()), former };
}

/** All that the earlier version kept, and nothing of it beside the bytes. */
function whole(): object {
  const { handles } = earlier;
  const checked = new Set(handles.map(({ artifactId }) => artifactId)).size;
  return { handles, checked, damaged: [], missing: [], former: [] };
}

it("opens what an earlier version wrote, and reads, deletes and collects it", async () => {
  const store = await open();
  expect(await stateOf(store)).toEqual(whole());
  await expect(useEarlier(store, earlier.handles)).resolves.toBeUndefined();
  await store.close();
});

it("moves everything although the process ends at any request", { timeout }, async () => {
  for (let skip = 0, isDone = false; !isDone; skip += requestsPerStep) {
    await fill();
    const action = { kind: "error", status: 403, code: "AccessDenied" } as const;
    const lift = server.fail({ key: prefix, skip, action, times: Infinity });
    isDone = await open().then(
      () => true,
      () => false,
    );
    lift();
    expect(await stateOf(await open())).toEqual(whole());
  }
});

it(
  "moves everything although the process ends before or after any write",
  { timeout },
  async () => {
    for (const isBefore of [true, false]) {
      for (let writes = 0, isDone = false; !isDone; writes += 1) {
        await fill();
        let left = writes;
        const write: Records["write"] = async (...call) => {
          if (isBefore && left === 0) throw new RecordsError("unavailable", "The process ended.");
          const done = await records.write(...call);
          if (left === 0) throw new RecordsError("unavailable", "The process ended.");
          left -= 1;
          return done;
        };
        isDone = await open({ records: { ...records, write } }).then(
          () => true,
          () => false,
        );
        expect(await stateOf(await open())).toEqual(whole());
      }
    }
  },
);

it("moves each handle once when several processes open the bucket at the same moment", async () => {
  const stores = await Promise.all([open(), open(), open()]);
  for (const store of stores) expect(await stateOf(store)).toEqual(whole());
});

it("does not bring back what was deleted while a process paused in the middle of the move", async () => {
  let isPaused: () => void = () => undefined;
  const paused = new Promise<void>((resolve) => (isPaused = resolve));
  let proceed: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => (proceed = resolve));
  const write: Records["write"] = async (changes, options) => {
    if (changes.length > 1) {
      isPaused();
      await wait;
    }
    return records.write(changes, options);
  };
  const slow = open({ records: { ...records, write } });
  await paused;
  const store = await open();
  for (const { artifactId } of earlier.handles) await store.delete(artifactId);
  await store.collectGarbage({ graceMs: 0 });
  proceed();
  expect((await (await slow).listHandles()).handles).toEqual([]);
});

it("keeps a damaged handle, so that its bytes are not collected", async () => {
  const [handle] = earlier.handles;
  const { handleId = "", artifactId = "" } = handle ?? {};
  const named = server
    .keys()
    .filter((key) => key.startsWith(prefix) && key.includes(`${handleId}!`));
  for (const key of named) server.damage(key, (bytes) => bytes.map((byte) => byte ^ 1));
  const store = await open();
  expect((await store.listHandles()).damaged).toEqual([{ handleId, artifactId }]);
  expect(await store.retrieve(artifactId)).toBeInstanceOf(Uint8Array);
});
