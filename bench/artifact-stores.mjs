// Measures artifact stores: puts and checked gets next to other libraries and to the bare backends, growth, memory, and
// losses in a power cut. CCL_BENCH_SCALE=0.05 runs a twentieth of everything.
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { findPostgres, startPostgres } from "../scripts/services/postgres-server.mjs";
import { measureBatches, measureGrowth } from "./lib/artifact-growth.mjs";
import { cutPowerUnder } from "./lib/artifact-power-cuts.mjs";
import { contentOf, measureSize, median, ratioOf } from "./lib/artifact-rounds.mjs";
import { artifactSubjects, sqliteDriverName } from "./lib/artifact-subjects.mjs";
import { table } from "./lib/figures.mjs";

const scale = Number(process.env.CCL_BENCH_SCALE ?? 1);
const scaled = (count, least) => Math.max(least, Math.round(count * scale));
const mebibyte = 2 ** 20;
const sizes = [
  { name: "1 KiB", sizeBytes: 1024, count: scaled(2000, 100), rounds: scaled(40, 5) },
  { name: "100 KiB", sizeBytes: 100 * 1024, count: scaled(1000, 50), rounds: scaled(20, 5) },
  {
    name: "50 MiB",
    sizeBytes: 50 * mebibyte,
    count: scaled(20, 2),
    rounds: scaled(20, 2),
    isFresh: true,
  },
];
const streamMiB = scaled(1024, 64);
/** A server that takes a minute for a whole stream gets a quarter of it. */
const streamShares = new Map([["PostgreSQL", 0.25]]);
const allowedMb = 64;
const byHand = "the same system calls by hand";
const fileByHand = "open, write, fsync, close by hand";
const oneInsert = "one INSERT, synchronous=FULL";
const wantedAcks = new Map([
  ["fs", scaled(2000, 200)],
  ["SQLite", scaled(2000, 200)],
  ...["fs, durability off", "SQLite, durability normal", "cacache", "unstorage, fs driver"].map(
    (name) => [name, scaled(500, 200)],
  ),
]);

/** The section of RESULTS.md. */
export async function run() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-bench-artifacts-"));
  const servers = await startServers();
  try {
    const subjects = artifactSubjects(servers.addresses);
    const facts = {
      disk: diskOf(folder),
      syncMs: syncTime(folder),
      driver: await sqliteDriverName(),
    };
    const measured = await measureAll(subjects, { folder, servers: servers.addresses });
    return { title: "Artifact stores", markdown: report(subjects, { ...measured, ...facts }) };
  } finally {
    await servers.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function startServers() {
  const s3Server = fork(path.join(import.meta.dirname, "lib/artifact-s3-server.mjs"));
  const s3 = await new Promise((resolve, reject) =>
    s3Server.once("message", resolve).once("exit", reject),
  );
  const postgres = findPostgres() === undefined ? undefined : await startPostgres();
  const stop = async () => {
    s3Server.disconnect();
    await postgres?.stop();
  };
  return {
    addresses: { s3, ...(postgres === undefined ? {} : { postgresUrl: postgres.url }) },
    stop,
  };
}

async function measureAll(subjects, { folder, servers }) {
  const inFolder = (name) => path.join(folder, name);
  const bySize = [];
  for (const [index, size] of sizes.entries()) {
    const results = await measureSize(subjects, { folder: inFolder(`size${index}`), ...size });
    bySize.push({ ...size, results });
    progress(size.name);
  }
  const stores = subjects.filter(({ openStore, isSynced }) => openStore !== undefined && isSynced);
  const batches = await measureBatches(stores, {
    folder: inFolder("batches"),
    rounds: scaled(8, 3),
  });
  progress("batches");
  const growth = new Map();
  for (const subject of stores.filter(({ name }) => !name.startsWith("S3"))) {
    const counts = [scaled(1000, 100), scaled(10_000, 1000)];
    growth.set(
      subject.name,
      await measureGrowth(subject, { folder: inFolder("growth"), counts, rounds: 6 }),
    );
  }
  progress("growth");
  const memory = new Map();
  for (const { name } of stores.filter((store) => store.name !== "memory")) {
    const sizeMiB = streamMiB * (streamShares.get(name) ?? 1);
    const label = sizeMiB === streamMiB ? name : `${name}, ${sizeMiB} MiB`;
    memory.set(label, await memoryOf({ name, folder: inFolder("memory"), sizeMiB, servers }));
    fs.rmSync(inFolder("memory"), { recursive: true, force: true });
  }
  progress("memory");
  const losses = await cutPowerUnder(wantedAcks);
  progress("power cuts");
  return { bySize, batches, growth, memory, losses };
}

function progress(name) {
  console.log(
    `bench artifact-stores: ${name} done after ${(performance.now() / 1000).toFixed(0)} s`,
  );
}

function memoryOf(task) {
  return new Promise((resolve, reject) => {
    const child = path.join(import.meta.dirname, "lib/artifact-memory-child.mjs");
    const running = fork(child, [JSON.stringify(task)], { execArgv: ["--expose-gc"] });
    running.once("message", resolve);
    running.once("exit", (code) =>
      reject(new Error(`${task.name} ended with ${code} in the measurement of memory`)),
    );
  });
}

function diskOf(folder) {
  const names = new Map([
    [0xef53, "ext4"],
    [0x58465342, "xfs"],
    [0x9123683e, "btrfs"],
    [0x01021994, "tmpfs, where a sync costs nothing"],
  ]);
  const { type } = fs.statfsSync(folder);
  return names.get(type) ?? `a file system of type ${type.toString(16)}`;
}

/** Of 4 KiB written in place. */
function syncTime(folder) {
  const file = fs.openSync(path.join(folder, "sync"), "w+");
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: 101 }, (_, index) => {
    page.writeUInt32LE(index);
    fs.writeSync(file, page, 0, page.length, 0);
    const startedAt = performance.now();
    fs.fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  fs.closeSync(file);
  return median(times);
}

function report(subjects, measured) {
  const { bySize, losses, disk, syncMs, driver } = measured;
  const counts = bySize
    .map(({ name, count }) => `${count.toLocaleString("en")} x ${name}`)
    .join(", ");
  return [
    `${counts}, contents that differ, on ${disk}, where to sync 4 KiB written in place takes ${inMs(syncMs)} ms; SQLite is ${driver}. Median milliseconds a call, in rounds in one process. "Of floor" is the median ratio to the row below, which does with the driver alone what the store has to; the two take turns call by call. Servers have their turn in each tenth round, those who sync nothing at 50 MiB in each fourth: the cell says how many calls there were. Those who sync nothing come last in a round, and the disk is synced after them.`,
    `Put. This includes hashing and the summary: SHA-256 alone takes ${hashTimes()}, and contents above 1 MiB also get a tag for each MiB, which takes a third of that.`,
    sizeTable(subjects, { ...measured, kind: "put" }),
    `Get of the whole content. "Checked": a read never returns other bytes than those that were stored:`,
    sizeTable(subjects, { ...measured, kind: "get" }),
    `\`storeMany\` of 100 contents of 1 KiB beside as many single puts, milliseconds an item:`,
    batchTable(measured),
    `Growth, from ${scaled(1000, 100).toLocaleString("en")} to ${scaled(10_000, 1000).toLocaleString("en")} artifacts of 1 KiB: milliseconds and the factor. Pages hold 100 handles. (For S3 this would measure the test server.)`,
    growthTable(measured),
    `A stream of ${streamMiB.toLocaleString("en")} MiB in and out, in a separate process: resident memory in MiB, the kernel's peak. Idle is after three small puts and gets. The second value is after a forced garbage collection:`,
    memoryTable(measured),
    `Power cuts: ext4 in a file, its power cut (\`EXT4_IOC_SHUTDOWN\` without the journal) after 60 to 460 acknowledged puts of up to 20,000 bytes, every other time with the process stopped just before, mounted again, and every acknowledged put read back. What is a few seconds old the system has written by itself, so that a process that runs for long loses its latest puts only:`,
    lossTable(losses),
    `Goals:`,
    goalTable(measured),
  ].join("\n\n");
}

function sizeTable(subjects, { bySize, losses, kind }) {
  const last = kind === "put" ? "acked but lost at a power cut" : "checked";
  const head = ["", ...bySize.flatMap(({ name }) => [name, "of floor"]), last];
  const rows = subjects.map((subject) => {
    const cells = bySize.flatMap(({ results, count: wanted }) => {
      const own = results.get(subject.name)[kind];
      const floor = results.get(subject.floor)?.[kind];
      const calls = own.length < wanted ? ` (${count(own.length)} x)` : "";
      return [inMs(median(own)) + calls, floor === undefined ? "" : ratioOf(own, floor).toFixed(2)];
    });
    return [
      subject.name,
      ...cells,
      kind === "put" ? lossOf(subject, losses) : subject.isVerified ? "yes" : "no",
    ];
  });
  return table(head, rows);
}

function hashTimes() {
  return sizes
    .map(({ name, sizeBytes }) => {
      const { bytes } = contentOf(0, sizeBytes);
      const times = Array.from({ length: 9 }, () => {
        const startedAt = performance.now();
        createHash("sha256").update(bytes).digest();
        return performance.now() - startedAt;
      });
      return `${inMs(median(times))} ms for ${name}`;
    })
    .join(", ");
}

const lossWords = {
  all: "all: it ends with the process",
  none: "none: synced",
  latest: "the latest: not synced",
};

function lossOf({ name, lost }, { found }) {
  const cut = found.get(name);
  const words = lossWords[lost] ?? lost;
  return cut === undefined
    ? words
    : `${words} (${count(cut.lost + cut.wrong)} of ${count(cut.acks)})`;
}

function batchTable({ batches }) {
  const rows = [...batches].map(([name, { singleMs, batchMs, factor }]) => [
    name,
    inMs(singleMs),
    inMs(batchMs),
    `${factor.toFixed(1)} x`,
  ]);
  return table(["", "single", "storeMany", "faster"], rows);
}

function growthTable({ growth }) {
  const [questions = []] = [...growth.values()];
  const rows = [...growth].map(([name, answers]) => [
    name,
    ...answers.map(
      ({ fewMs, manyMs, factor }) => `${inMs(fewMs)} to ${inMs(manyMs)}, ${factor.toFixed(1)} x`,
    ),
  ]);
  return table(["", ...questions.map(({ question }) => question)], rows);
}

function memoryTable({ memory }) {
  const head = [
    "",
    "idle",
    "after gc",
    "peak in",
    "peak out",
    "above idle",
    "above idle after gc",
    "s in",
    "s out",
  ];
  const rows = [...memory].map(([name, one]) => {
    const { idleMb, idleAfterGcMb, putMb, getMb, putSeconds, getSeconds } = one;
    const peak = Math.max(putMb, getMb);
    const sizes = [idleMb, idleAfterGcMb, putMb, getMb, peak - idleMb, peak - idleAfterGcMb];
    return [
      name,
      ...sizes.map((mb) => mb.toFixed(0)),
      putSeconds.toFixed(1),
      getSeconds.toFixed(1),
    ];
  });
  return table(head, rows);
}

function lossTable({ found, whyNot }) {
  const rows = [...found].map(([name, { cuts, acks, lost, wrong }]) =>
    [name, cuts, acks, lost, wrong].map((cell) => (typeof cell === "number" ? count(cell) : cell)),
  );
  const parts = [table(["", "cuts", "acknowledged", "lost", "other bytes, without a word"], rows)];
  if (whyNot !== undefined)
    parts.push(`Not run for the others: ${whyNot}. Their rows above say what is known of them.`);
  return parts.join("\n\n");
}

function goalTable({ bySize, batches, memory, losses }) {
  const ratio = (size, [left, right], kind = "put") => {
    const { results } = bySize.find(({ name }) => name === size);
    return ratioOf(results.get(left)[kind], results.get(right)[kind]);
  };
  const small = (names, kind) => ratio("1 KiB", names, kind);
  const files = [byHand, "fs", fileByHand].map((name) => small([name, "SQLite"]));
  const byHandRatios = sizes.map(({ name }) => ratio(name, ["fs", byHand]));
  const above = ["fs", "SQLite", "S3 on loopback"].map((name) => {
    const { putMb, getMb, idleAfterGcMb } = memory.get(name);
    return Math.max(putMb, getMb) - idleAfterGcMb;
  });
  const cut = ["fs", "SQLite"].map((name) => losses.found.get(name));
  const rows = [
    goal("SQLite put of 1 KiB, of the bare INSERT", {
      value: small(["SQLite", oneInsert]),
      most: 1.5,
    }),
    goal("SQLite put, times as fast as a file written and synced by hand, its folder too", {
      value: files[0],
      least: 5,
    }),
    ["the same beside the fs store's put", fixed(files[1]), "", ""],
    ["the same beside a file whose folder is not synced", fixed(files[2]), "", ""],
    goal("SQLite `storeMany` of 100, times as fast as single puts", {
      value: batches.get("SQLite").factor,
      least: 6,
    }),
    goal("SQLite checked get of 1 KiB, times as fast as fs's", {
      value: small(["fs", "SQLite"], "get"),
      least: 10,
    }),
    ...sizes.map(({ name }, index) =>
      goal(`fs put of ${name}, of the same system calls by hand`, {
        value: byHandRatios[index],
        most: 1.1,
      }),
    ),
    goal("stream, MiB above the idle process after gc, the largest of fs, SQLite and S3", {
      value: Math.max(...above),
      most: allowedMb,
    }),
    ...(cut.includes(undefined)
      ? []
      : [
          goal("acknowledged at durability full and lost", {
            value: cut[0].lost + cut[1].lost,
            most: 0,
          }),
        ]),
  ];
  return table(["", "measured", "goal", ""], rows);
}

function goal(name, { value, most = Infinity, least = 0 }) {
  const bound = most === Infinity ? `at least ${least}` : `at most ${most}`;
  return [name, fixed(value), bound, value <= most && value >= least ? "holds" : "missed"];
}

const fixed = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));
const inMs = (ms) => ms.toFixed(ms < 1 ? 3 : ms < 100 ? 2 : 0);
const count = (number) => number.toLocaleString("en");

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { title, markdown } = await run();
  console.log(`${title}\n\n${markdown}`);
}
