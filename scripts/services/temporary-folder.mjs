// Where a test run writes: in memory if Linux has enough of it, because tests sync far more than they read. Tests that
// cut power or fill a disk create their own file system, and test:faults uses the system's folder.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { testLength } from "../lengths/test-length.mjs";

const memory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;

/**
 * Creates a folder and sets TMPDIR to it, unless TMPDIR is set. Returns the function that removes it. Vitest calls it
 * by this name.
 */
export function setup() {
  if (process.env.TMPDIR || temporaryParent() !== memory) return () => undefined;
  const folder = fs.mkdtempSync(path.join(memory, "ccl-"));
  // A server of another user stores its data here.
  fs.chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** The parent of the temporary folders. */
export function temporaryParent() {
  return process.env.TMPDIR || testLength === "faults" || !hasRoom() ? os.tmpdir() : memory;
}

function hasRoom() {
  if (!fs.existsSync(memory)) return false;
  const { bavail, bsize } = fs.statfsSync(memory);
  return bavail * bsize > neededBytes;
}
