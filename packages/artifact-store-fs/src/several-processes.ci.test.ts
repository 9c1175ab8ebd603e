import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArtifactHandle } from "@ccl/artifact-store";
import { sha256Hex } from "@ccl/core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireBuilt, runChild } from "../test-support/child-process.ts";
import { openFsArtifactStore } from "./open-fs-artifact-store.ts";
import { byLength } from "../../../scripts/lengths/test-length.mjs";

const rounds = byLength({ ci: 150, faults: 1_500, nightly: 10_000 });

/** Says before each call what it is going to do, and afterwards that it has; a few contents, so that calls meet. */
const worker = `
  const store = await openFsArtifactStore({ folder: root, durability });
  const contents = Array.from({ length: 6 }, (_, i) => Buffer.alloc(i === 5 ? 1_500_000 : 1 + i * 20_000, "content " + i));
  const mine = [];
  for (let round = 0; round < ${rounds}; round += 1) {
    const content = contents[random(contents.length)];
    const id = sha(content);
    const what = random(10);
    if (what < 4) {
      const handle = await store.store(content, { source: "p" + seed });
      mine.push(handle);
      say({ put: handle.handleId, id });
    } else if (what < 6 && mine.length > 0) {
      const [handle] = mine.splice(random(mine.length), 1);
      say({ deleting: handle.handleId, id: handle.artifactId });
      const wasThere = await store.delete(handle.artifactId, { handleId: handle.handleId });
      say({ deleted: handle.handleId, wasThere });
    } else if (what < 8) {
      await store.collectGarbage({ graceMs: random(2) * 5, ...(random(2) ? { artifactIds: [id] } : {}) });
    } else {
      const wanted = mine.length > 0 && random(2) ? mine[random(mine.length)].artifactId : id;
      const isMine = mine.some((handle) => handle.artifactId === wanted);
      const bytes = await store.retrieve(wanted);
      if (bytes === undefined ? isMine : sha(bytes) !== wanted) say({ fault: isMine ? "lost" : "wrong", id: wanted });
    }
  }
  await store.close();
  say({ done: true });
`;

interface Event {
  put?: string;
  deleting?: string;
  deleted?: string;
  wasThere?: boolean;
  fault?: string;
  done?: boolean;
  id?: string;
}

let root = "";
beforeAll(requireBuilt);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-several-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

describe("four processes on one store", () => {
  it("never read wrong bytes, lose what was acknowledged or keep what was collected, also when some are killed", async () => {
    const workers = [1, 2, 3, 4].map((seed) => {
      let left = seed > 2 ? 20 + Math.floor(Math.random() * rounds * 0.5) : Infinity;
      const onLine = (_value: unknown, kill: () => void): void => {
        left -= 1;
        if (left === 0) kill();
      };
      return runChild(worker, { root, seed, durability: "off", onLine });
    });
    const events = (await Promise.all(workers)).flat() as Event[];
    expect(events.filter((event) => event.fault !== undefined)).toEqual([]);
    expect(events.filter((event) => event.wasThere === false)).toEqual([]);
    expect(events.filter((event) => event.done === true).length).toBeGreaterThanOrEqual(2);

    const gone = new Set(events.map((event) => event.deleting));
    const kept = events.filter((event) => event.put !== undefined && !gone.has(event.put));
    const store = await openFsArtifactStore({ folder: root });
    const handles: ArtifactHandle[] = [];
    for (
      let cursor: string | undefined, isFirst = true;
      isFirst || cursor !== undefined;
      isFirst = false
    ) {
      const page = await store.listHandles({
        limit: 1_000,
        cursor,
      });
      handles.push(...page.handles);
      cursor = page.cursor;
    }
    const listed = new Set(handles.map((handle) => handle.handleId));
    expect(kept.filter((event) => !listed.has(event.put ?? ""))).toEqual([]);
    expect(
      events.filter((event) => event.deleted !== undefined && listed.has(event.deleted)),
    ).toEqual([]);
    const artifactIds = new Set(handles.map((handle) => handle.artifactId));
    for (const artifactId of artifactIds) {
      const bytes = await store.retrieve(artifactId);
      expect(bytes && sha256Hex(bytes)).toBe(artifactId);
    }
    for (const artifactId of artifactIds) await store.delete(artifactId);
    await store.collectGarbage({ graceMs: 0 });
    for (const id of new Set(events.map((event) => event.id))) {
      expect(id === undefined ? false : await store.exists(id)).toBe(false);
    }
    expect(await store.collectGarbage({ graceMs: 0 })).toEqual({ artifactIds: [], freedBytes: 0 });
    await store.close();
  });
});
