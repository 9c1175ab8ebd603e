import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { S3Client } from "@aws-sdk/client-s3";
import { ArtifactStoreError } from "@ccl/artifact-store";
import { openRecords } from "@ccl/records/node";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openS3ArtifactStore, type S3ArtifactStore } from "./index.ts";
import { startS3TestServer } from "./testing/index.ts";
import { isAtLeast, kills } from "../../../scripts/lengths/test-length.mjs";

const packageFolder = new URL("..", import.meta.url);
const streamMebibytes = isAtLeast("faults") ? 1024 : 64;

beforeAll(() => {
  if (!existsSync(new URL("dist/index.js", packageFolder))) {
    throw new Error("packages/artifact-store-s3/dist is missing: run the build first.");
  }
});

// Children say on stdout, line by line, what there is to say.
const header = `
  import { writeSync } from "node:fs";
  import { S3Client } from "@aws-sdk/client-s3";
  import { openS3ArtifactStore } from "@ccl/artifact-store-s3";
  import { startS3TestServer } from "@ccl/artifact-store-s3/testing";
  import { openRecords } from "@ccl/records/node";
  const say = (line) => writeSync(1, line + "\\n");
  const config = JSON.parse(process.env.CCL_CONFIG ?? "{}");
  const open = async () => openS3ArtifactStore({
    client: new S3Client(config),
    bucket: "artifacts",
    records: await openRecords({ folder: process.env.CCL_RECORDS }),
    prefix: "p/",
  });
`;
const serving = `${header}
  const server = await startS3TestServer({ maxBytes: 3 * 1024 ** 3 });
  say(JSON.stringify(server.clientConfig));
`;
const writing = `${header}
  const store = await open();
  const source = "tool:test";
  for (let number = 0; ; number += 1) {
    const content = process.env.CCL_FROM + "-" + number;
    if (number % 3 === 0) say((await store.store(content, { source })).artifactId);
    else if (number % 3 === 1) {
      const items = [1, 2, 3].map((index) => ({ content: content + "-" + index, source }));
      say((await store.storeMany(items)).map(({ artifactId }) => artifactId).join(" "));
    } else {
      const stream = async function* () { yield new Uint8Array(9 * 1024 * 1024).fill(number); yield Buffer.from(content); };
      say((await store.store(stream(), { source })).artifactId);
    }
  }
`;
// What the promise is about: an id that is handed out before its bytes are kept.
const forgetful = `${header}
  for (const digit of ["a", "b", "c"]) say(digit.repeat(64));
  setInterval(() => undefined, 1_000);
`;
const streaming = `${header}
  import { createHash } from "node:crypto";
  const store = await open();
  const blocks = Array.from({ length: 7 }, (_, seed) => Buffer.alloc(1024 * 1024, "block " + seed));
  const mebibytes = Number(process.env.CCL_MEBIBYTES);
  const digest = createHash("sha256");
  async function* stream() {
    for (let index = 0; index < mebibytes; index += 1) {
      const block = blocks[(index * 5 + (index >> 3)) % 7];
      digest.update(block);
      yield block;
    }
  }
  const warm = await store.store("warm", { source: "tool:test" });
  await store.retrieve(warm.artifactId);
  const idle = process.memoryUsage().rss;
  let peak = idle;
  const watch = setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss); }, 5);
  const { artifactId } = await store.store(stream(), { source: "tool:test" });
  const stored = peak - idle;
  const read = createHash("sha256");
  for await (const piece of await store.retrieveStream(artifactId)) read.update(piece);
  clearInterval(watch);
  const isSame = artifactId === digest.digest("hex") && artifactId === read.digest("hex");
  say(JSON.stringify({ isSame, storedMebibytes: stored / 1024 ** 2, peakMebibytes: (peak - idle) / 1024 ** 2 }));
  process.exit(0);
`;

const children: ChildProcess[] = [];
const clients: S3Client[] = [];
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-s3-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const client of clients.splice(0)) client.destroy();
  await rm(folder, { recursive: true, force: true });
});

function start(
  script: string,
  env: Record<string, string> = {},
): ChildProcess & { lines: AsyncIterator<string> } {
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], {
    cwd: packageFolder,
    env: { ...process.env, CCL_RECORDS: folder, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return Object.assign(child, {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
  });
}

async function storeAt(config: object): Promise<S3ArtifactStore> {
  const client = new S3Client({ ...config, maxAttempts: 2 });
  clients.push(client);
  const records = await openRecords({ folder });
  const store = await openS3ArtifactStore({ client, bucket: "artifacts", records, prefix: "p/" });
  return { ...store, close: () => store.close().then(() => records.close()) };
}

async function idsUntilKilled(
  script: string,
  env: Record<string, string>,
  killAt: number,
): Promise<string[]> {
  const child = start(script, env);
  const ids: string[] = [];
  for (let lines = 1; ; lines += 1) {
    const { value, done } = await child.lines.next();
    if (done === true) return ids;
    ids.push(...value.split(" "));
    if (lines === killAt) child.kill("SIGKILL");
  }
}

async function lostOf(store: S3ArtifactStore, ids: readonly string[]): Promise<string[]> {
  const lost: string[] = [];
  for (const id of ids) if ((await store.retrieve(id)) === undefined) lost.push(id);
  return lost;
}

describe("a writer that is killed", () => {
  it(`has lost nothing that was acknowledged, and left nothing wrong to be read, ${kills} times`, async () => {
    const server = await startS3TestServer({ maxBytes: 4 * 1024 ** 3 });
    const acknowledged: string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const env = { CCL_CONFIG: JSON.stringify(server.clientConfig), CCL_FROM: String(kill) };
      const latest = await idsUntilKilled(writing, env, 1 + Math.floor(Math.random() * 12));
      acknowledged.push(...latest);
      const store = await storeAt(server.clientConfig);
      expect(await lostOf(store, latest)).toEqual([]);
      await store.close();
    }
    // Those of the former writers once more: to read them after each kill grows with its square.
    const store = await storeAt(server.clientConfig);
    expect(await lostOf(store, acknowledged)).toEqual([]);
    expect(await store.verify()).toMatchObject({ damaged: [], missing: [] });
    const listed = new Set<string>();
    for (let cursor: string | undefined, isLast = false; !isLast;) {
      const page = await store.listHandles({
        limit: 1_000,
        cursor,
      });
      for (const { artifactId } of page.handles) listed.add(artifactId);
      cursor = page.cursor;
      isLast = cursor === undefined;
    }
    expect(acknowledged.filter((id) => !listed.has(id))).toEqual([]);
    await store.close();
    await server.close();
  });

  it("would be caught if it acknowledged before it wrote, so the check can fail", async () => {
    const server = await startS3TestServer();
    const ids = await idsUntilKilled(forgetful, {}, 3);
    expect(await lostOf(await storeAt(server.clientConfig), ids)).toEqual(ids);
    await server.close();
  });
});

describe("a server that goes away", () => {
  it("killed under load, fails every call with a code that says that a retry may help", async () => {
    const child = start(serving);
    const config: unknown = JSON.parse(String((await child.lines.next()).value));
    if (typeof config !== "object" || config === null) throw new Error("The server said nothing.");
    const store = await storeAt(config);
    let stored = 0;
    const load = async (writer: number): Promise<unknown> => {
      for (let number = 0; ; number += 1) {
        try {
          await store.store(`${writer}-${number}`, { source: "tool:test" });
        } catch (error) {
          return error;
        }
        stored += 1;
        if (stored === 40) child.kill("SIGKILL");
      }
    };
    const errors = await Promise.all(Array.from({ length: 8 }, (_, writer) => load(writer)));
    expect(stored).toBeGreaterThanOrEqual(40);
    for (const error of errors) {
      expect(ArtifactStoreError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ code: "unavailable", details: { isRetryable: true } });
    }
  });

  it("and comes back, has what was acknowledged before", async () => {
    const server = await startS3TestServer();
    const store = await storeAt(server.clientConfig);
    const handles = await store.storeMany(
      [1, 2, 3].map((index) => ({ content: `${index}`, source: "tool:test" })),
    );
    const lift = server.fail({
      action: { kind: "cut", when: "request", afterBytes: 0 },
      times: Infinity,
    });
    await expect(store.store("lost", { source: "tool:test" })).rejects.toMatchObject({
      code: "unavailable",
    });
    const read = store.retrieve(handles[0]?.artifactId ?? "");
    await expect(read).rejects.toMatchObject({ code: "unavailable" });
    lift();
    expect((await store.listHandles()).handles).toEqual(handles);
    expect(await store.verify()).toEqual({ checked: 3, damaged: [], missing: [] });
    await server.close();
  });
});

describe("memory", () => {
  it(
    `stays within 64 MiB above idle for a stream of ${streamMebibytes} MiB in and out`,
    { timeout: 900_000 },
    async () => {
      const server = start(serving);
      const config = String((await server.lines.next()).value);
      const client = start(streaming, {
        CCL_CONFIG: config,
        CCL_MEBIBYTES: String(streamMebibytes),
      });
      const result: unknown = JSON.parse(String((await client.lines.next()).value));
      console.warn(`stream of ${streamMebibytes} MiB: ${JSON.stringify(result)}`);
      expect(result).toMatchObject({ isSame: true });
      const peak =
        typeof result === "object" && result !== null && "peakMebibytes" in result
          ? result.peakMebibytes
          : 0;
      expect(peak).toBeGreaterThan(0);
      expect(peak).toBeLessThan(64);
    },
  );
});
