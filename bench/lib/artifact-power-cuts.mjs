import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

import typescript from "typescript";

const child = path.join(import.meta.dirname, "artifact-power-cut-child.mjs");

/** The disk whose power the tests cut. Its source is TypeScript, which Node 20 cannot read. */
async function loadLoopDisk() {
  const source = fs.readFileSync(
    new URL("../../scripts/power-cut/loop-disk.ts", import.meta.url),
    "utf8",
  );
  const { module, target } = {
    module: typescript.ModuleKind.ESNext,
    target: typescript.ScriptTarget.ES2022,
  };
  const { outputText } = typescript.transpileModule(source, {
    compilerOptions: { module, target },
  });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

/**
 * Cuts the power under each subject until it has acknowledged the required number of puts. Returns `{ cuts, acks, lost,
 * wrong }` by name, where `wrong` counts wrong bytes returned without an error, or the reason why there can be none
 * here.
 */
export async function cutPowerUnder(wantedByName) {
  const { openLoopDisk } = await loadLoopDisk();
  const found = new Map();
  for (const [name, wantedAcks] of wantedByName) {
    const disk = await openLoopDisk({ sizeMiB: 768 });
    if ("whyNot" in disk) return { whyNot: disk.whyNot, found };
    const sum = { cuts: 0, acks: 0, lost: 0, wrong: 0 };
    try {
      while (sum.acks < wantedAcks) {
        const folder = path.join(disk.folder, String(sum.cuts));
        const ids = await acknowledgedUntilCut(disk, {
          name,
          folder,
          isStopped: sum.cuts % 2 === 0,
        });
        await disk.mountAgain();
        const { lost, wrong } = await check(name, { folder, ids });
        sum.cuts += 1;
        sum.acks += ids.length;
        sum.lost += lost;
        sum.wrong += wrong;
      }
    } finally {
      await disk.dispose();
    }
    found.set(name, sum);
  }
  return { found };
}

/**
 * With `isStopped` the process stops before the cut, so its last acknowledged put is its last write. Otherwise it
 * writes until the disk fails, and a late sync also covers earlier writes.
 */
async function acknowledgedUntilCut(disk, { name, folder, isStopped }) {
  const writer = spawn(process.execPath, [child, "write", name, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => writer.once("close", resolve));
  const cutAt = 60 + Math.floor(Math.random() * 400);
  const ids = [];
  let cutting;
  for await (const line of createInterface({ input: writer.stdout })) {
    // Acknowledgements after the start of the cut prove nothing. Only earlier ones count.
    if (cutting === undefined) ids.push(line);
    if (ids.length < cutAt || cutting !== undefined) continue;
    if (isStopped) writer.kill("SIGSTOP");
    cutting = disk.cutPower().finally(() => writer.kill("SIGKILL"));
  }
  await cutting;
  await ended;
  if (cutting === undefined)
    throw new Error(`${name} ended after ${ids.length} puts, before the power was cut`);
  return ids;
}

async function check(name, { folder, ids }) {
  const checker = spawn(process.execPath, [child, "check", name, folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => checker.once("close", resolve));
  checker.stdin.on("error", () => {});
  checker.stdin.end(ids.join("\n"));
  let said = "";
  for await (const piece of checker.stdout) said += piece;
  const code = await ended;
  if (code !== 0)
    throw new Error(`${name} could not be checked after the cut, the process ended with ${code}`);
  return JSON.parse(said);
}
