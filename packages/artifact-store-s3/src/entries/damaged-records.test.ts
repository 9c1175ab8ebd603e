import { S3Client } from "@aws-sdk/client-s3";
import type { ArtifactHandle } from "@ccl/artifact-store";
import { type KeyValue, openRecords } from "@ccl/records";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openS3ArtifactStore, type S3ArtifactStore } from "../index.ts";
import { startS3TestServer, type S3TestServer } from "../testing/index.ts";

let server: S3TestServer;
let client: S3Client;
beforeAll(async () => {
  server = await startS3TestServer();
  client = new S3Client(server.clientConfig);
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

function overMap(texts: Map<string, string>): KeyValue {
  return {
    get: async (keys) => keys.map((key) => texts.get(key)),
    list: async ({ from, before, limit }) =>
      [...texts]
        .filter(([key]) => key >= from && key < before)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .slice(0, limit),
    async commit({ checks, writes }) {
      if (checks.some(([key, text]) => texts.get(key) !== text)) return false;
      for (const [key, text] of writes)
        if (text === undefined) texts.delete(key);
        else texts.set(key, text);
      return true;
    },
  };
}

it.each([
  ["the first", [0]],
  ["one amid others", [2]],
  ["the last", [4]],
  ["several", [0, 2, 3]],
])("a damaged record of a handle hides no other handle: %s", async (where, damaged) => {
  const texts = new Map<string, string>();
  const records = await openRecords({ keyValue: overMap(texts) });
  const place = { client, bucket: "artifacts", prefix: `${where}/`, records };
  const store = await openS3ArtifactStore(place);
  const items = [0, 1, 2, 3, 4].map((index) => ({
    content: `content ${index % 3}`,
    source: "test",
    sessionId: "s",
  }));
  const handles = await store.storeMany(items);
  const isDamaged = (handle: object): boolean => damaged.some((at) => handles[at] === handle);
  const named = handles
    .filter(isDamaged)
    .map(({ handleId, artifactId }) => ({ handleId, artifactId }));
  const whole = handles.filter((handle) => !isDamaged(handle));
  for (const { handleId } of named) {
    const isOwn = (key: string): boolean => key.includes("/handle/") && key.includes(handleId);
    const key = [...texts.keys()].find(isOwn) ?? "";
    texts.set(key, `${texts.get(key)}?`);
  }
  for (const limit of [1, 2, 100])
    for (const sessionId of ["s", undefined]) {
      const found: unknown[] = [];
      const lost: unknown[] = [];
      for (let cursor: string | undefined, isEnd = false; !isEnd; isEnd = cursor === undefined) {
        const page = await store.listHandles({ limit, sessionId, cursor });
        found.push(...page.handles);
        lost.push(...(page.damaged ?? []));
        ({ cursor } = page);
      }
      expect(found).toEqual(whole);
      expect(lost).toEqual(named);
    }
  const report = await store.verify();
  expect(report).toMatchObject({ checked: 3, damaged: [], missing: [] });
  expect(report.damagedHandles).toHaveLength(named.length);
  for (const { artifactId } of whole) expect(await store.retrieve(artifactId)).toBeDefined();
  for (const { handleId, artifactId } of named) {
    expect(await store.delete(artifactId, { handleId })).toBe(true);
    expect(await store.delete(artifactId, { handleId })).toBe(false);
  }
  expect(await store.listHandles()).toEqual({ handles: whole });
  expect((await store.verify()).damagedHandles).toBeUndefined();
  for (const { artifactId } of handles) await store.delete(artifactId);
  expect(await store.collectGarbage({ graceMs: 0 })).toMatchObject({ freedBytes: 27 });
  expect(await store.listHandles()).toEqual({ handles: [] });
});

describe("a damaged record of a blob", () => {
  const other = "other content";
  const keyPart = (artifactId: string): string => `/blob/${artifactId}`;
  let texts: Map<string, string>;
  let store: S3ArtifactStore;
  let handles: ArtifactHandle[];
  let stores = 0;
  beforeEach(async () => {
    texts = new Map();
    const records = await openRecords({ keyValue: overMap(texts) });
    const prefix = `blob-${(stores += 1)}/`;
    store = await openS3ArtifactStore({ client, bucket: "artifacts", prefix, records });
    const contents = ["content", "content", other];
    handles = await store.storeMany(contents.map((content) => ({ content, source: "test" })));
    const key = [...texts.keys()].find((key) => key.includes(keyPart(damagedId()))) ?? "";
    texts.set(key, `${texts.get(key)}?`);
  });
  const damagedId = (): string => handles[0]?.artifactId ?? "";

  it("hides no other blob and no handle, and is reported", async () => {
    await expect(store.retrieve(damagedId())).rejects.toMatchObject({ code: "damaged" });
    expect(await store.listHandles()).toEqual({ handles });
    expect(await store.getHandles(damagedId())).toEqual(handles.slice(0, 2));
    expect(await store.verify()).toMatchObject({ checked: 2, missing: [damagedId()] });
    expect((await store.collectGarbage({ graceMs: 0 })).artifactIds).toEqual([]);
    const bytes = await store.retrieve(handles[2]?.artifactId ?? "");
    expect(new TextDecoder().decode(bytes)).toBe(other);
  });

  it("is replaced by storing the bytes again, even by several at once", async () => {
    const again = await Promise.all(
      ["a", "b", "c"].map((source) => store.store("content", { source })),
    );
    expect(new TextDecoder().decode(await store.retrieve(damagedId()))).toBe("content");
    expect(await store.getHandles(damagedId())).toHaveLength(2 + again.length);
    expect(await store.verify()).toEqual({ checked: 2, damaged: [], missing: [] });
    for (const { artifactId, handleId } of [...handles.slice(0, 2), ...again])
      expect(await store.delete(artifactId, { handleId })).toBe(true);
    expect((await store.collectGarbage({ graceMs: 0 })).artifactIds).toEqual([damagedId()]);
  });

  it("lets its handles be deleted", async () => {
    expect(await store.delete(damagedId())).toBe(true);
    expect(await store.retrieve(damagedId())).toBeUndefined();
    expect(await store.verify()).toEqual({ checked: 1, damaged: [], missing: [] });
  });
});
