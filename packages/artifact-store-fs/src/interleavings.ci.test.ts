import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";
import { createFixedClock } from "@ccl/core/testing";
import { CallScheduler, inEveryOrder, SimulatedDisk } from "@ccl/core/testing/node";
import { describe, expect, it } from "vitest";
import { fileSystemOf } from "../test-support/simulated-file-system.ts";
import { openTestStore } from "../test-support/simulated-store.ts";
import type { FileSystem } from "./file-system/file-system.ts";
import { byLength } from "../../../scripts/lengths/test-length.mjs";

/** For three users; two get two more. */
const maxSwitches = byLength({ ci: 1, faults: 2, nightly: 3 });

/** Calls whose effect another process can see; between two of them no other call matters. */
const visibleCalls = [
  "create",
  "status",
  "open",
  "list",
  "link",
  "rename",
  "unlink",
  "setTime",
] as const;
const show = (path: string): string =>
  path.slice(path.lastIndexOf("/") + 1).replace(/^[0-9a-f]{64}/, "X");

const names = ["p", "q", "c", "d", "r", "check", "start"];
const alive = new Set(names);
const text = "the same bytes";
const decode = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && new TextDecoder().decode(bytes);

/** What each user of the store saw. */
interface Seen {
  acknowledged: ArtifactHandle[];
  reads: (string | undefined)[];
}

type User = (store: ArtifactStore, seen: Seen, first: ArtifactHandle) => Promise<void>;

const put: User = async (store, seen) =>
  void seen.acknowledged.push(await store.store(text, { source: "put" }));
const collect: User = async (store, _seen, { artifactId }) =>
  void (await store.collectGarbage({ graceMs: 0, artifactIds: [artifactId] }));
const remove: User = async (store, _seen, first) =>
  void (await store.delete(first.artifactId, { handleId: first.handleId }));
/** A handle that is listed can be read, unless the one that there was at first has gone meanwhile. */
const read: User = async (store, seen, first) => {
  const handles = await store.getHandles(first.artifactId);
  const others = handles.filter((handle) => handle.handleId !== first.handleId).length;
  const bytes = decode(await store.retrieve(first.artifactId));
  seen.reads.push(bytes ?? (others > 0 ? "missing though listed" : undefined));
};

const meetings: [name: string, users: Record<string, User>][] = [
  ["a put and a collection", { p: put, c: collect }],
  ["two puts and a collection", { p: put, q: put, c: collect }],
  ["a put, a deletion and a collection", { p: put, d: remove, c: collect }],
  ["a put, a collection and a read", { p: put, c: collect, r: read }],
  ["a put and two collections", { p: put, c: collect, d: collect }],
];

/** A collector that does not look again: its second and third list are its first one. */
function withoutSecondLook(fs: FileSystem): FileSystem {
  const lists = new Map<string, Promise<string[]>>();
  const list = (folder: string): Promise<string[]> => {
    const known = lists.get(folder) ?? fs.list(folder);
    lists.set(folder, known);
    return known;
  };
  return { ...fs, list };
}

interface Meeting {
  users: Record<string, User>;
  isReferenced: boolean;
  switches: number;
  breakCollector?: (fs: FileSystem) => FileSystem;
}

async function faultsInEveryOrder(meeting: Meeting): Promise<{ count: number; faults: string[] }> {
  const { users, isReferenced, switches, breakCollector = (fs) => fs } = meeting;
  const before = new SimulatedDisk();
  const opened = await openTestStore(fileSystemOf(before), {
    name: "start",
    alive,
    clock: createFixedClock(1_000),
  });
  const first = await opened.store(text, { source: "first" });
  if (!isReferenced) await opened.delete(first.artifactId);
  await opened.close();
  const faults: string[] = [];
  const count = await inEveryOrder(switches, async (choose) => {
    const disk = before.clone();
    const scheduler = new CallScheduler();
    const seen: Seen = { acknowledged: [], reads: [] };
    const works: Record<string, () => Promise<unknown>> = {};
    for (const [name, work] of Object.entries(users)) {
      const view = scheduler.view(name, fileSystemOf(disk), { names: visibleCalls, show });
      const fs = work === collect ? breakCollector(view) : view;
      const store = await openPaced(name, fileSystemOf(disk), fs);
      works[name] = () => work(store, seen, first);
    }
    await scheduler.run(works, choose);
    const found = await faultsAfter(disk, {
      seen,
      first,
      isKept: isReferenced && users["d"] !== remove,
    });
    faults.push(...found.map((fault) => [fault, ...scheduler.trace].join("\n")));
  });
  return { count, faults };
}

/** A store whose opening is not part of the meeting. */
async function openPaced(
  name: string,
  plain: FileSystem,
  paced: FileSystem,
): Promise<ArtifactStore> {
  let isOpen = false;
  const fs = new Proxy(plain, {
    get: (_target, call: keyof FileSystem) => (isOpen ? paced[call] : plain[call]),
  });
  const store = await openTestStore(fs, { name, alive, clock: createFixedClock(10_000) });
  isOpen = true;
  return store;
}

async function faultsAfter(
  disk: SimulatedDisk,
  { seen, first, isKept }: { seen: Seen; first: ArtifactHandle; isKept: boolean },
): Promise<string[]> {
  const store = await openTestStore(fileSystemOf(disk), {
    name: "check",
    alive,
    clock: createFixedClock(20_000),
  });
  const handles = await store.getHandles(first.artifactId);
  const lost = seen.acknowledged.filter(
    (kept) => !handles.some((handle) => handle.handleId === kept.handleId),
  );
  const bytes = await store.retrieve(first.artifactId).then(decode, String);
  return [
    ...lost.map((handle) => `${handle.handleId} is lost`),
    ...(bytes === text ? [] : [`reads ${bytes}`]),
    ...(handles.length === seen.acknowledged.length + (isKept ? 1 : 0)
      ? []
      : [`${handles.length} handles`]),
    ...seen.reads
      .filter((each) => each !== undefined && each !== text)
      .map((each) => `read ${each}`),
  ];
}

describe("put, delete, collect and read of the same bytes by several processes, in every order of their file calls", () => {
  const cases = meetings.flatMap(([name, users]) => [
    { name: `${name}, on bytes that are referenced`, users, isReferenced: true },
    { name: `${name}, on bytes that are garbage`, users, isReferenced: false },
  ]);
  it.each(cases)("loses nothing: $name", async ({ users, isReferenced }) => {
    const switches = maxSwitches + (Object.keys(users).length === 2 ? 2 : 0);
    const { count, faults } = await faultsInEveryOrder({ users, isReferenced, switches });
    expect(faults.slice(0, 1)).toEqual([]);
    expect(count).toBeGreaterThan(10);
  });

  it("would lose bytes with a collector that does not look again, so the check can fail", async () => {
    const meeting = { users: { p: put, c: collect }, isReferenced: false, switches: 2 };
    const { faults } = await faultsInEveryOrder({ ...meeting, breakCollector: withoutSecondLook });
    expect(faults).not.toEqual([]);
  });
});
