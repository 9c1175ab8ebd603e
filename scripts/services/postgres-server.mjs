// A separate PostgreSQL server on loopback for tests: a new cluster in a temporary folder, removed by stop().
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port.mjs";

const run = promisify(execFile);

/**
 * The folder of `initdb` and `postgres`, from CCL_POSTGRES_BIN, Debian's layout or the PATH. Undefined if it is not
 * installed.
 */
export function findPostgres() {
  const debian = "/usr/lib/postgresql";
  const versions = fs.existsSync(debian)
    ? fs.readdirSync(debian).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    process.env.CCL_POSTGRES_BIN,
    ...versions.map((version) => path.join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(path.delimiter),
  ];
  return folders.find(
    (folder) => folder && ["initdb", "postgres"].every((name) => isFile(path.join(folder, name))),
  );
}

const isFile = (name) => fs.statSync(name, { throwIfNoEntry: false })?.isFile() === true;

/**
 * Starts a server that fsyncs like a real one. `kill` stops it like a crash, and `start` restarts it on the same port.
 */
export async function startPostgres() {
  const bin = findPostgres();
  if (bin === undefined) throw new Error("No PostgreSQL found; install it or set CCL_POSTGRES_BIN");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ccl-postgres-"));
  const data = path.join(folder, "data");
  const user = unprivilegedUser(folder);
  await run(
    path.join(bin, "initdb"),
    ["-D", data, "-U", "ccl", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    user,
  );
  const port = await freePort();
  let server;
  const start = async () => {
    server = spawn(
      path.join(bin, "postgres"),
      ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", folder, "-c", "max_connections=60"],
      { ...user, stdio: "ignore" },
    );
    await untilReady(server, { bin, port });
  };
  const end = async (signal) => {
    const exited =
      server.exitCode === null &&
      server.signalCode === null &&
      new Promise((resolve) => server.once("exit", resolve));
    server.kill(signal);
    await exited;
  };
  process.once("exit", () => server.kill("SIGINT"));
  await start();
  return {
    url: `postgres://ccl@127.0.0.1:${port}/postgres`,
    start,
    /** Like `pg_ctl stop -m immediate`: no checkpoint, recovery at the next start. */
    kill: () => end("SIGQUIT"),
    stop: async () => {
      await end("SIGINT");
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

// PostgreSQL refuses to run as root. Debian's package creates the user postgres.
function unprivilegedUser(folder) {
  if (process.getuid?.() !== 0) return {};
  const line = fs
    .readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((line) => /^(postgres|nobody):/.test(line));
  const [, , uid, gid] = (line ?? "nobody:x:65534:65534").split(":").map(Number);
  fs.chownSync(folder, uid, gid);
  return { uid, gid, cwd: folder };
}

async function untilReady(server, { bin, port }) {
  const isReady = path.join(bin, "pg_isready");
  for (let attempt = 0; attempt < 300; attempt++) {
    if (server.exitCode !== null)
      throw new Error(`PostgreSQL ended with ${server.exitCode} while it started`);
    try {
      await run(isReady, ["-q", "-h", "127.0.0.1", "-p", String(port)]);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("PostgreSQL did not answer within 15 s");
}
