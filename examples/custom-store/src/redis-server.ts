import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

/** A Redis of this process, over a socket in a folder of its own, which nobody else can open. */
export interface RedisServer {
  socketPath: string;
  /** Ends it without a warning, and starts it again with the files that it left. */
  crash(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** Starts a Redis that syncs each write to disk before it answers; undefined where none is installed. */
export async function startRedisServer(): Promise<RedisServer | undefined> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "custom-store-"));
  const socketPath = path.join(folder, "redis.sock");
  const settings = {
    port: "0",
    unixsocket: socketPath,
    unixsocketperm: "700",
    dir: folder,
    save: "",
  };
  const durability = { appendonly: "yes", appendfsync: "always" };
  const args = Object.entries({ ...settings, ...durability }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  let server = await start(args);
  if (server === undefined) {
    fs.rmSync(folder, { recursive: true });
    return undefined;
  }
  process.once("exit", () => server?.kill());
  return {
    socketPath,
    crash: async () => {
      await end(server, "SIGKILL");
      server = await start(args);
    },
    stop: async () => {
      await end(server, "SIGTERM");
      fs.rmSync(folder, { recursive: true });
    },
  };
}

async function start(args: readonly string[]): Promise<ChildProcess | undefined> {
  const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
  const isMissing = new Promise<boolean>((resolve) => server.once("error", () => resolve(true)));
  const isReady = new Promise<boolean>((resolve, reject) => {
    server.once("exit", (code) => reject(new Error(`redis-server ended with ${code}`)));
    createInterface({ input: server.stdout }).on("line", (line) => {
      if (/ready to accept connections/iu.test(line)) resolve(false);
    });
  });
  return (await Promise.race([isMissing, isReady])) ? undefined : server;
}

async function end(server: ChildProcess | undefined, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  if (server === undefined || server.exitCode !== null) return;
  const exited = once(server, "exit");
  server.kill(signal);
  await exited;
}
