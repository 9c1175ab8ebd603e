import { S3Client } from "@aws-sdk/client-s3";
import { ArtifactStoreError } from "@ccl/artifact-store";
import { createFixedClock } from "@ccl/core/testing";
import { createMemoryRecords, RecordsError } from "@ccl/records";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openS3ArtifactStore, type S3ArtifactStore, type S3ArtifactStoreOptions } from "./index.ts";
import { startS3TestServer, type S3TestServer } from "./testing/index.ts";
import type { S3Operation } from "./testing/s3-request.ts";

const mebibyte = 1024 * 1024;
const partBytes = 5 * mebibyte;
/** So much that an upload has two parts. */
const longBytes = partBytes + 1;
const source = "tool:test";
let server: S3TestServer;
let client: S3Client;
let store: S3ArtifactStore;
let records = createMemoryRecords();
beforeEach(async () => {
  records = createMemoryRecords();
  server = await startS3TestServer();
  client = new S3Client({ ...server.clientConfig, maxAttempts: 2 });
  store = await open();
});
afterEach(async () => {
  client.destroy();
  await server.close();
});

async function open(options: Partial<S3ArtifactStoreOptions> = {}): Promise<S3ArtifactStore> {
  return await openS3ArtifactStore({
    client,
    bucket: "artifacts",
    records,
    prefix: "p/",
    partSizeBytes: partBytes,
    ...options,
  });
}

/** Whole MiB and a bit, `longBytes` by default. */
async function* longContent(seed: number = 1, mebibytes: number = 5): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < mebibytes; index += 1)
    yield new Uint8Array(mebibyte).fill(index + seed);
  yield Uint8Array.of(seed);
}

async function failureOf(call: Promise<unknown>): Promise<ArtifactStoreError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!ArtifactStoreError.isInstance(error))
    throw new Error(`Not an ArtifactStoreError: ${String(error)}`);
  return error;
}

async function lengthOf(artifactId: string): Promise<number> {
  let length = 0;
  for await (const piece of (await store.retrieveStream(artifactId)) ?? []) length += piece.length;
  return length;
}

describe("failures of the server", () => {
  it.each([
    ["SlowDown", 503, "unavailable", true, "may succeed later"],
    ["InternalError", 500, "unavailable", true, "may succeed later"],
    ["AccessDenied", 403, "unavailable", false, "s3:PutObject"],
    ["XMinioStorageFull", 507, "disk_full", true, "may succeed later"],
  ] as const)(
    "%s on a write fails with a code, and says what helps",
    async (code, status, expected, isRetryable, advice) => {
      server.fail({
        operation: "PutObject",
        action: { kind: "error", status, code },
        times: Infinity,
      });
      const error = await failureOf(store.store("x", { source }));
      expect(error).toMatchObject({
        code: expected,
        details: { s3Code: code, status, isRetryable },
      });
      expect(error.message).toContain(advice);
    },
  );

  it.each([undefined, null, {}])("refuses %o for a client", async (none) => {
    const error = await failureOf(
      openS3ArtifactStore({ client: none as unknown as S3Client, records, bucket: "artifacts" }),
    );
    expect(error).toMatchObject({ code: "invalid_input" });
    expect(error.message).toContain("@aws-sdk/client-s3");
  });

  it.each([undefined, null, {}])("refuses %o for records", async (none) => {
    const error = await failureOf(open({ records: none as unknown as typeof records }));
    expect(error).toMatchObject({ code: "invalid_input" });
    expect(error.message).toContain("openRecords");
  });

  it("refuses a bucket whose handles are in other records, and keeps its bytes", async () => {
    const { artifactId } = await store.store("kept", { source });
    const error = await failureOf(open({ records: createMemoryRecords() }));
    expect(error).toMatchObject({ code: "unavailable" });
    expect(error.message).toContain("in other records");
    expect(new TextDecoder().decode(await store.retrieve(artifactId))).toBe("kept");
  });

  it("says that the disk of the records is full", async () => {
    const full = new RecordsError("disk_full", "No room.");
    const failing = { ...records, write: () => Promise.reject(full) };
    store = await open({ records: failing });
    expect((await failureOf(store.store("x", { source }))).code).toBe("disk_full");
  });

  it("keeps the bytes where the records may have been written all the same", async () => {
    const write: typeof records.write = async (...call) => {
      await records.write(...call);
      throw new RecordsError("unavailable", "The answer was lost.");
    };
    const failing = await open({ records: { ...records, write } });
    expect((await failureOf(failing.store("kept", { source }))).code).toBe("unavailable");
    const { handles } = await store.listHandles();
    expect(handles).toHaveLength(1);
    expect(await store.retrieve(handles[0]?.artifactId ?? "")).toHaveLength(4);
  });

  it("names a bucket that is not there", async () => {
    const error = await failureOf(open({ bucket: "nowhere" }));
    expect(error.code).toBe("unavailable");
    expect(error.message).toContain('There is no bucket "nowhere"');
  });

  it("says that the disk is full when the server's bound is reached, and keeps what was stored", async () => {
    const small = await startS3TestServer({ maxBytes: 20_000 });
    const smallClient = new S3Client({ ...small.clientConfig, maxAttempts: 1 });
    store = await open({ client: smallClient });
    const handle = await store.store("kept", { source });
    expect((await failureOf(store.store("x".repeat(30_000), { source }))).code).toBe("disk_full");
    expect(new TextDecoder().decode(await store.retrieve(handle.artifactId))).toBe("kept");
    expect((await store.listHandles()).handles).toEqual([handle]);
    smallClient.destroy();
    await small.close();
  });

  it.each(["SlowDown", "ConditionalRequestConflict", "BadDigest"])(
    "gets over a passing %s",
    async (code) => {
      const status =
        { SlowDown: 503, ConditionalRequestConflict: 409, BadDigest: 400 }[code] ?? 500;
      // No part is sent under a condition.
      const parts = code === "ConditionalRequestConflict" ? [] : (["UploadPart"] as const);
      const operation = ["PutObject", ...parts] as const;
      for (const skip of [0, 1, 2])
        server.fail({ operation, skip, action: { kind: "error", status, code } });
      client.destroy();
      client = new S3Client({ ...server.clientConfig, maxAttempts: 4 });
      store = await open();
      const handle = await store.store(longContent(), { source });
      expect(await lengthOf(handle.artifactId)).toBe(longBytes);
    },
  );

  it("gives up on conflicts that do not pass", async () => {
    const action = { kind: "error", status: 409, code: "ConditionalRequestConflict" } as const;
    server.fail({ operation: "PutObject", action, times: Infinity });
    expect(await failureOf(store.store("x", { source }))).toMatchObject({ code: "unavailable" });
    expect(
      server.requests.filter(({ operation }) => operation === "PutObject").length,
    ).toBeLessThan(60);
  });

  it("writes once what was written and never answered", async () => {
    server.fail({ operation: "PutObject", key: "blobs/", action: { kind: "lose-answer" } });
    const handle = await store.store("once", { source });
    expect((await store.listHandles()).handles).toEqual([handle]);
  });

  it("completes an upload whose completion was done and never answered", async () => {
    server.fail({ operation: "CompleteMultipartUpload", action: { kind: "lose-answer" } });
    const { artifactId } = await store.store(longContent(), { source });
    expect(await lengthOf(artifactId)).toBe(longBytes);
  });

  it("keeps handles of one id under two artifacts apart", async () => {
    store = await open({ ids: { next: () => "always-the-same" } });
    await store.store("one", { source });
    await store.store("two", { source });
    expect((await store.listHandles()).handles).toHaveLength(2);
  });
});

describe("bodies that are cut", () => {
  const cuts = [0, 1, 65_536, mebibyte - 1, mebibyte, 3 * mebibyte + 7, 7 * mebibyte];

  it.each(cuts)("a stream goes on where an answer was cut after %d bytes", async (afterBytes) => {
    // Ten MiB take two requests to read.
    const mebibytes = afterBytes > partBytes ? 10 : 5;
    const { artifactId } = await store.store(longContent(1, mebibytes), { source });
    server.fail({
      operation: "GetObject",
      key: "data/",
      action: { kind: "cut", when: "answer", afterBytes },
    });
    expect(await lengthOf(artifactId)).toBe(mebibytes * mebibyte + 1);
  });

  it.each([0, 1, 65_536, 100_000])(
    "a stream fails, and hands out nothing wrong, when every answer is cut after %d bytes",
    async (afterBytes) => {
      const { artifactId } = await store.store(longContent(), { source });
      const action = { kind: "cut", when: "answer", afterBytes } as const;
      server.fail({ operation: "GetObject", key: "data/", action, times: Infinity });
      expect((await failureOf(lengthOf(artifactId))).code).toBe("unavailable");
    },
  );

  it("a small artifact is read again when its answer was cut, and fails when it always is", async () => {
    const { artifactId } = await store.store("some bytes", { source });
    const fault = {
      operation: "GetObject",
      key: "blobs/",
      action: { kind: "cut", when: "answer", afterBytes: 4 },
    } as const;
    server.fail(fault);
    expect(await store.retrieve(artifactId)).toHaveLength(10);
    server.fail({ ...fault, times: Infinity });
    expect((await failureOf(store.retrieve(artifactId))).code).toBe("unavailable");
  });

  it("an answer with one wrong bit is never handed out", async () => {
    const { artifactId } = await store.store(longContent(), { source });
    server.fail({
      operation: "GetObject",
      key: "data/",
      action: { kind: "damage" },
      times: Infinity,
    });
    expect((await failureOf(lengthOf(artifactId))).code).toBe("damaged");
  });

  it.each([0, 1, 70_000, 4 * mebibyte])(
    "an upload survives a request that was cut after %d bytes",
    async (afterBytes) => {
      server.fail({
        operation: "UploadPart",
        action: { kind: "cut", when: "request", afterBytes },
      });
      const { artifactId } = await store.store(longContent(), { source });
      expect(await lengthOf(artifactId)).toBe(longBytes);
    },
  );

  it.each([0, 1, 70_000])(
    "an upload that is always cut after %d bytes keeps nothing",
    async (afterBytes) => {
      const earlier = await store.store("earlier", { source });
      server.fail({
        operation: "UploadPart",
        action: { kind: "cut", when: "request", afterBytes },
        times: Infinity,
      });
      expect((await failureOf(store.store(longContent(), { source }))).code).toBe("unavailable");
      expect(server.uploads()).toEqual([]);
      expect((await store.listHandles()).handles).toEqual([earlier]);
      expect(await store.retrieve(earlier.artifactId)).toHaveLength(7);
    },
  );
});

describe("a put that fails at any of its requests", () => {
  const contents = { small: () => "bytes", long: () => longContent(7) };

  it.each(["small", "long"] as const)(
    "leaves nothing that can be seen, and can be done again: %s",
    async (kind) => {
      const before = server.requests.length;
      const { artifactId } = await store.store(contents[kind](), { source, sessionId: "s" });
      const requests = server.requests.slice(before).length;
      for (let skip = 0; skip < requests; skip += 1) {
        const other = await open({ prefix: `fail-${skip}/` });
        const lift = server.fail({
          key: `fail-${skip}/`,
          skip,
          action: { kind: "error", status: 403, code: "AccessDenied" },
        });
        const stored = await other.store(contents[kind](), { source, sessionId: "s" }).then(
          (handle) => [handle],
          () => [],
        );
        lift();
        expect((await other.listHandles()).handles).toEqual(stored);
        expect(await other.exists(artifactId)).toBe(stored.length > 0);
        const again = await other.store(contents[kind](), { source });
        expect((await other.getHandles(again.artifactId)).at(-1)).toEqual(again);
        expect(await other.verify()).toMatchObject({ damaged: [], missing: [] });
        expect(server.uploads()).toEqual([]);
      }
    },
  );

  it("shows no part of a batch, whichever request of it fails", async () => {
    const items = [1, 2, 3].map((index) => ({ content: `item ${index}`, source, sessionId: "s" }));
    const before = server.requests.length;
    await store.storeMany(items);
    const requests = server.requests.length - before;
    for (let skip = 0; skip < requests; skip += 1) {
      const other = await open({ prefix: `batch-${skip}/` });
      const action = { kind: "error", status: 403, code: "AccessDenied" } as const;
      const lift = server.fail({ key: `batch-${skip}/`, skip, action });
      const outcome = await other.storeMany(items).catch(() => []);
      lift();
      expect((await other.listHandles()).handles).toEqual(outcome);
      expect((await other.listHandles({ sessionId: "s" })).handles).toEqual(outcome);
    }
  });
});

describe("calling a put off", () => {
  it.each<S3Operation>(["PutObject", "UploadPart", "CompleteMultipartUpload"])(
    "during %s leaves no upload and no handle",
    async (operation) => {
      const controller = new AbortController();
      server.fail({ operation, action: { kind: "hang" } });
      const call = failureOf(store.store(longContent(), { source, signal: controller.signal }));
      while (!server.requests.slice(5).some((request) => request.operation === operation)) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      controller.abort();
      expect((await call).code).toBe("aborted");
      expect(server.uploads()).toEqual([]);
      expect((await store.listHandles()).handles).toEqual([]);
    },
  );

  it("leaves no upload where the server has begun it and its answer is on the way", async () => {
    const controller = new AbortController();
    const abortOnceBegun = async (): Promise<void> => {
      while (server.uploads().length === 0) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
    };
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const [answer] = await Promise.all([
            next(args),
            commandName === "CreateMultipartUploadCommand" && abortOnceBegun(),
          ]);
          return answer;
        },
      { step: "finalizeRequest" },
    );
    const error = await failureOf(
      store.store(longContent(), { source, signal: controller.signal }),
    );
    expect(error.code).toBe("aborted");
    expect(server.uploads()).toEqual([]);
  });
});

describe("what dead processes leave behind", () => {
  const clock = createFixedClock(Date.UTC(2030, 0, 1));
  const dayMs = 86_400_000;

  it("an upload is aborted by a later opening once it is old", async () => {
    store = await open({ clock });
    const stalled = longContent(1, 16);
    server.fail({ operation: "UploadPart", skip: 1, action: { kind: "hang" } });
    const controller = new AbortController();
    const call = failureOf(store.store(stalled, { source, signal: controller.signal }));
    while (server.uploads().length === 0) await new Promise((resolve) => setImmediate(resolve));
    await open({ clock });
    expect(server.uploads()).toHaveLength(1);
    clock.advance(dayMs + 1);
    await open({ clock });
    expect(server.uploads()).toEqual([]);
    controller.abort();
    await call;
  });

  it("copies that no record names go with a later collection, and others stay", async () => {
    store = await open({ clock });
    const kept = await store.store("kept", { source, sessionId: "s" });
    const batch = await store.storeMany([1, 2].map((index) => ({ content: `b${index}`, source })));
    const keys = server.keys();
    // All that would take the failed puts back fails too, as it does when the process is gone.
    const denied = { kind: "error", status: 403, code: "AccessDenied" } as const;
    const lift = server.fail({ operation: "DeleteObject", action: denied, times: Infinity });
    const write = (): Promise<never> => Promise.reject(new RecordsError("unavailable", "Gone."));
    const failing = await open({ clock, records: { ...records, write } });
    await failureOf(
      failing.storeMany(
        [1, 2].map((index) => ({ content: `lost ${index}`, source, sessionId: "s" })),
      ),
    );
    await failureOf(failing.store(longContent(3), { source, sessionId: "s" }));
    lift();
    expect(server.keys()).toHaveLength(keys.length + 4);
    await store.collectGarbage({ graceMs: 0 });
    clock.advance(dayMs + 1);
    await store.collectGarbage({ graceMs: 0 });
    await store.collectGarbage({ graceMs: 0 });
    expect(server.keys()).toEqual(keys);
    expect((await store.listHandles()).handles).toEqual([kept, ...batch]);
    for (const { artifactId } of [kept, ...batch]) await store.delete(artifactId);
    await store.collectGarbage({ graceMs: 0 });
    clock.advance(dayMs + 1);
    await store.collectGarbage({ graceMs: 0 });
    expect(server.keys()).toEqual(["p/records"]);
    const { records: left } = await records.list();
    expect(left.map(({ name }) => name.split("/").slice(2).join())).toEqual(["store"]);
  });
});
