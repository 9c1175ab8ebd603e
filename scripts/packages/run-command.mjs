import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** Runs a command to its end and returns its output. Throws with the output if the command fails. */
export function runCommand(command, options = {}) {
  const [file, ...parameters] = command;
  const result = spawnSync(file, parameters, {
    ...options,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32" && !file.endsWith(".exe"),
  });
  if (result.error !== undefined) throw result.error;
  if (result.status === 0) return result.stdout;
  const ending = result.signal ?? `exit code ${result.status}`;
  throw new Error(`${command.join(" ")}: ${ending}\n${result.stdout}${result.stderr}`.trimEnd());
}

/** Runs a command in parallel with others. Rejects with its output if it fails. */
export async function startCommand([file, ...parameters], cwd) {
  const child = spawn(file, parameters, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  const [code, signal] = await once(child, "close");
  if (code !== 0)
    throw new Error(`${[file, ...parameters].join(" ")}: ${signal ?? code}\n${printed}`.trimEnd());
}

/** The pnpm that runs this script, or the one that npx brings. */
export function pnpmCommand() {
  const running = process.env.npm_execpath ?? "";
  return /pnpm/.test(running) ? [process.execPath, running] : ["npx", "-y", "pnpm@10"];
}
