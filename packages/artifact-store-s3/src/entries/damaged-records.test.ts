import { S3Client } from "@aws-sdk/client-s3";
import { type KeyValue, openRecords } from "@ccl/records";
import { afterAll, beforeAll, expect, it } from "vitest";

import { openS3ArtifactStore } from "../index.ts";
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
});
