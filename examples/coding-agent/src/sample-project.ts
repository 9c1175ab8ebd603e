import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type { PlanCheck } from "@ccl/plan-protocol";

const source = fileURLToPath(new URL("../sample", import.meta.url));

/** A copy of the sample that may be changed. */
export interface SampleProject {
  root: string;
  /** One check for each test file, so that a change may not break what passed. */
  checks: PlanCheck[];
  runTests(): Promise<TestRun>;
  /** SHA-256 over names and contents of the project's files. */
  fingerprint(): Promise<string>;
  /** The same hash of the original folder. */
  sourceFingerprint(): Promise<string>;
  remove(): Promise<void>;
}

/** The result of the project's own tests. */
interface TestRun {
  isPassed: boolean;
  output: string;
}

/** Copies the sample to a new folder. */
export async function copySample(): Promise<SampleProject> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "ccl-coding-agent-")));
  await cp(source, root, { recursive: true });
  const tests = (await readdir(path.join(root, "test"))).sort();
  return {
    root,
    checks: tests.map((name) => ({
      name,
      command: [process.execPath, "--test", `test/${name}`],
      timeoutMs: 60_000,
    })),
    runTests: () => runTests(root),
    fingerprint: () => fingerprintOf(root),
    sourceFingerprint: () => fingerprintOf(source),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function runTests(root: string): Promise<TestRun> {
  const command = ["--test", "--test-reporter=spec"];
  return new Promise((settle) => {
    execFile(process.execPath, command, { cwd: root, timeout: 60_000 }, (error, stdout) => {
      settle({ isPassed: error === null, output: stdout });
    });
  });
}

async function fingerprintOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  // Files of the workspace do not belong to the project.
  const own = files
    .map((file) => path.relative(folder, file))
    .filter((file) => !file.startsWith(".ccl"));
  for (const file of own.sort())
    hash.update(`${file}\0`).update(await readFile(path.join(folder, file)));
  return hash.digest("hex");
}
