// Stores and reads one long stream, and reports how much memory that took.
import fs from "node:fs";

import { artifactSubjects } from "./artifact-subjects.mjs";

const { name, folder, sizeMiB, servers } = JSON.parse(process.argv[2]);
const mebibyte = 2 ** 20;
let seen = 0;
const { openStore } = artifactSubjects(servers).find((subject) => subject.name === name);
const { store, erase } = await openStore(folder);

for (const index of [0, 1, 2]) {
  const { artifactId } = await store.store(`warm ${index}`, { source: "tool:bench" });
  await store.retrieve(artifactId);
}
const report = { idleMb: process.memoryUsage.rss() / mebibyte };
globalThis.gc();
report.idleAfterGcMb = process.memoryUsage.rss() / mebibyte;

const put = await peakDuring(() => store.store(pieces(), { source: "tool:bench" }));
const get = await peakDuring(() => drain(put.value.artifactId));
if (get.value !== sizeMiB * mebibyte) throw new Error(`${get.value} bytes came back`);
process.send({
  ...report,
  putMb: put.peakMb,
  putSeconds: put.seconds,
  getMb: get.peakMb,
  getSeconds: get.seconds,
});
await store.close();
await erase?.();
process.disconnect();

/** Repeats one buffer, so that the figure is the store's memory and not that of its caller. */
async function* pieces() {
  const piece = Buffer.alloc(64 * 1024, "0123456789abcdef");
  for (let index = 0; index < sizeMiB * 16; index += 1) {
    piece.writeUInt32LE(index);
    look();
    yield piece;
  }
}

async function drain(artifactId) {
  let sizeBytes = 0;
  for await (const piece of await store.retrieveStream(artifactId)) {
    sizeBytes += piece.length;
    look();
  }
  return sizeBytes;
}

async function peakDuring(action) {
  seen = 0;
  // Linux: resets the kernel's own peak.
  const isReset = tryTo(() => fs.writeFileSync("/proc/self/clear_refs", "5"));
  const startedAt = performance.now();
  const value = await action();
  const seconds = (performance.now() - startedAt) / 1000;
  return { value, seconds, peakMb: isReset ? kernelPeakKb() / 1024 : seen / mebibyte };
}

function kernelPeakKb() {
  return Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))?.[1]);
}

function look() {
  seen = Math.max(seen, process.memoryUsage.rss());
}

function tryTo(action) {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
