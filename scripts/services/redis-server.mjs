// A separate Redis server on loopback for tests. stop() removes its data.
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { freePort } from "./free-port.mjs";

/** The path of `redis-server`. Undefined if it is not installed. */
export function findRedis() {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  return folders
    .map((folder) => path.join(folder, "redis-server"))
    .find((name) => fs.existsSync(name));
}

/** Starts a server that syncs its append-only file with every write, so that an acknowledged write survives a crash. */
export async function startRedis() {
  const binary = findRedis();
  if (binary === undefined) throw new Error("No redis-server found on the PATH");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-redis-"));
  const port = await freePort();
  const settings = {
    port,
    bind: "127.0.0.1",
    dir: folder,
    appendonly: "yes",
    appendfsync: "always",
    save: "",
  };
  const server = spawn(
    binary,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: "ignore" },
  );
  process.once("exit", () => server.kill("SIGTERM"));
  await untilOpen(port);
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      const exited = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGTERM");
      await exited;
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilOpen(port) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const isOpen = await new Promise((resolve) => {
      const socket = net.connect(port, "127.0.0.1", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("Redis did not answer within 10 s");
}
