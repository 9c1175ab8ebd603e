import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const hook = new URL("./peak-memory-hook.mjs", import.meta.url).href;

/** Wall time in seconds, and peak memory in MB summed over the Node processes that the command ran. */
export async function measureProcess(command, { cwd } = {}) {
  const peaks = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-peaks-"));
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import ${hook}`,
    CCL_BENCH_PEAKS: peaks,
    NO_COLOR: "1",
  };
  try {
    const startedAt = performance.now();
    const stdout = await capture(command, { cwd, env });
    const seconds = (performance.now() - startedAt) / 1000;
    const files = fs
      .readdirSync(peaks)
      .map((name) => Number(fs.readFileSync(path.join(peaks, name), "utf8")));
    return { seconds, peakMb: files.reduce((sum, kb) => sum + kb, 0) / 1024, stdout };
  } finally {
    fs.rmSync(peaks, { recursive: true });
  }
}

/** The run with the median time out of `count`. */
export async function measureMedian(command, { count, ...options }) {
  const runs = [];
  for (let run = 0; run < count; run += 1) runs.push(await measureProcess(command, options));
  return runs.sort((a, b) => a.seconds - b.seconds)[Math.floor(count / 2)];
}

function capture(command, options) {
  return new Promise((resolve, reject) => {
    const [file, ...parameters] = command;
    const child = spawn(file, parameters, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].setEncoding("utf8").on("data", (text) => (output[name] += text));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(output.stdout);
      else
        reject(
          new Error(
            `${command.join(" ")} ended with ${code}\n${output.stdout.slice(-2000)}${output.stderr.slice(-2000)}`,
          ),
        );
    });
  });
}
