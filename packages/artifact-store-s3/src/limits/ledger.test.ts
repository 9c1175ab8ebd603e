import { S3Client } from "@aws-sdk/client-s3";
import { createFixedClock } from "@ccl/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  openS3ArtifactStore,
  type S3ArtifactStore,
  type S3ArtifactStoreOptions,
} from "../index.ts";
import { startS3TestServer, type S3TestServer } from "../testing/index.ts";
import { reservationMs } from "./ledger.ts";

const source = "tool:test";
const clock = createFixedClock(Date.UTC(2030, 0, 1));
let server: S3TestServer;
let client: S3Client;
beforeEach(async () => {
  server = await startS3TestServer();
  client = new S3Client({ ...server.clientConfig, maxAttempts: 2 });
});
afterEach(async () => {
  client.destroy();
  await server.close();
});

async function open(options: Partial<S3ArtifactStoreOptions> = {}): Promise<S3ArtifactStore> {
  return await openS3ArtifactStore({ client, bucket: "artifacts", ...options });
}

/** As many stores as processes there could be, each with puts of its own. */
async function putFromAll(
  stores: readonly S3ArtifactStore[],
  each: number,
): Promise<PromiseSettledResult<unknown>[]> {
  return await Promise.allSettled(
    stores.flatMap((store, writer) =>
      Array.from({ length: each }, (_, number) => {
        return store.store(`${writer}-${number}`.padEnd(100, "x"), { source, sessionId: "s" });
      }),
    ),
  );
}

describe("limits between stores that know nothing of each other", () => {
  it.each([{ maxStoreBytes: 550 }, { maxSessionBytes: 550 }])(
    "are never passed, and filled: %o",
    async (limits) => {
      const stores = await Promise.all([open({ limits }), open({ limits }), open({ limits })]);
      const results = await putFromAll(stores, 4);
      const refused = results
        .filter((result) => result.status === "rejected")
        .map((result) => result.reason as unknown);
      expect(results.length - refused.length).toBe(5);
      for (const reason of refused) expect(reason).toMatchObject({ code: "limit_exceeded" });
      expect((await (await open()).listHandles()).handles).toHaveLength(5);
    },
  );

  it("are passed by the same puts without limits, so the check can fail", async () => {
    const results = await putFromAll(await Promise.all([open(), open(), open()]), 4);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(12);
  });

  it("hold under eviction too", async () => {
    const limits = { maxStoreBytes: 550, whenFull: "evict" } as const;
    const results = await putFromAll(await Promise.all([open({ limits }), open({ limits })]), 5);
    expect(results.some(({ status }) => status === "fulfilled")).toBe(true);
    const bytes = server.keys().filter((key) => key.startsWith("blobs/")).length * 100;
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(550);
  });

  it("are counted again where a deletion comes between two listings of one count", async () => {
    const other = await open();
    const { artifactId } = await other.store("x".repeat(100), { source });
    const own = new S3Client(server.clientConfig);
    let isDeleted = false;
    own.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args);
        if (!isDeleted && "Prefix" in args.input && args.input.Prefix === "refs/") {
          isDeleted = true;
          await other.delete(artifactId);
        }
        return answer;
      },
      { step: "initialize" },
    );
    const tight = await open({ client: own, limits: { maxStoreBytes: 100, whenFull: "evict" } });
    await expect(tight.store("y".repeat(100), { source })).resolves.toMatchObject({
      sizeBytes: 100,
    });
    expect(isDeleted).toBe(true);
    const tooMuch = ["1", "2"].map((content) => ({ content: content.repeat(60), source }));
    await expect(tight.storeMany(tooMuch)).rejects.toMatchObject({ code: "limit_exceeded" });
    own.destroy();
  });

  it("are refused where the server ignores conditions", async () => {
    const careless = await startS3TestServer({ ignoresConditions: true });
    const other = new S3Client(careless.clientConfig);
    await expect(open({ client: other, limits: { maxStoreBytes: 1 } })).rejects.toMatchObject({
      code: "unsupported",
    });
    const store = await open({ client: other, limits: { maxArtifactBytes: 10 } });
    expect(store.capabilities.conditionalWrites).toBe(false);
    other.destroy();
    await careless.close();
  });
});

describe("a reservation", () => {
  const limits = { maxStoreBytes: 150 };
  const content = "y".repeat(100);

  it("of a put that died takes room only until it lapses", async () => {
    const dead = await open({ limits, clock });
    const denied = { kind: "error", status: 403, code: "AccessDenied" } as const;
    // The ledger is written once and never again, and nothing else: the process is gone.
    const lifts = [
      server.fail({
        operation: "PutObject",
        key: "ledger",
        skip: 1,
        action: denied,
        times: Infinity,
      }),
      server.fail({ operation: "PutObject", key: "refs/", action: denied, times: Infinity }),
    ];
    await expect(dead.store(content, { source })).rejects.toMatchObject({ code: "store_failed" });
    for (const lift of lifts) lift();
    const store = await open({ limits, clock });
    await expect(store.store("z".repeat(100), { source })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
    clock.advance(reservationMs);
    await expect(store.store("z".repeat(100), { source })).resolves.toMatchObject({
      sizeBytes: 100,
    });
  });

  it("whose answer was lost is recognised", async () => {
    const store = await open({ limits });
    server.fail({ operation: "PutObject", key: "ledger", action: { kind: "lose-answer" } });
    await expect(store.store(content, { source })).resolves.toMatchObject({ sizeBytes: 100 });
    await expect(store.store(`${content}!`, { source })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
  });
});
