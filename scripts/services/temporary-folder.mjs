// Where a run of tests writes: in memory where Linux has room there, since tests sync far more than they read. What cuts
// power or fills a disk makes a file system of its own, and test:faults keeps to the system's folder.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { testLength } from "../lengths/test-length.mjs";

const memory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;

/** Makes a folder and sets TMPDIR to it, unless that is set; gives the function that removes it. Vitest calls it by this name. */
export function setup() {
  if (process.env.TMPDIR || temporaryParent() !== memory) return () => undefined;
  const folder = fs.mkdtempSync(path.join(memory, "ccl-"));
  // A server of another user has its data here.
  fs.chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** The folder of temporary folders. */
export function temporaryParent() {
  return process.env.TMPDIR || testLength === "faults" || !hasRoom() ? os.tmpdir() : memory;
}

function hasRoom() {
  if (!fs.existsSync(memory)) return false;
  const { bavail, bsize } = fs.statfsSync(memory);
  return bavail * bsize > neededBytes;
}
