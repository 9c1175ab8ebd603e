// node scripts/services/with-services.mjs <command ...>: starts PostgreSQL and Redis, runs the command with
// CCL_POSTGRES_URL and CCL_REDIS_URL set to them, and stops them afterwards. It prints which of them is not installed.
import { spawn } from "node:child_process";
import { findPostgres, startPostgres } from "./postgres-server.mjs";
import { findRedis, startRedis } from "./redis-server.mjs";
import { setup as useTemporaryFolder } from "./temporary-folder.mjs";

const kinds = [
  { name: "PostgreSQL", variable: "CCL_POSTGRES_URL", find: findPostgres, start: startPostgres },
  { name: "Redis", variable: "CCL_REDIS_URL", find: findRedis, start: startRedis },
];

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error("Give the command to run");
const removeFolder = useTemporaryFolder();
const env = { ...process.env };
const servers = [];
for (const { name, variable, find, start } of kinds) {
  if (env[variable]) continue;
  if (find() === undefined) {
    console.log(`${name} is not installed: what needs it is skipped or runs on a stand-in`);
    continue;
  }
  const server = await start();
  servers.push(server);
  env[variable] = server.url;
}
const child = spawn(command, args, { stdio: "inherit", env, shell: process.platform === "win32" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.once("exit", async (code, signal) => {
  await Promise.all(servers.map((server) => server.stop()));
  removeFolder();
  process.exit(code ?? (signal ? 1 : 0));
});
