// A worker of its own process on the built package: carries out the calls that its input names, one line of JSON each,
// and kills itself at the point with the number `killAt` of a call. Points are the begin and the end of every call of a
// store. Each line is written before anything else is done, so that none is lost with the process.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import * as operations from "../dist/index.js";
import { openSqliteOperationStores } from "../dist/sqlite/index.js";
import { createStateWorld } from "./state-world.mjs";

let killAt = -1;
let points = 0;
const point = () => {
  if (points === killAt) process.kill(process.pid, "SIGKILL");
  points += 1;
};
const watched = (store) =>
  Object.fromEntries(
    Object.entries(store).map(([name, call]) => [
      name,
      async (...parameters) => {
        point();
        try {
          return await call(...parameters);
        } finally {
          point();
        }
      },
    ]),
  );
const write = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

const stores = await openSqliteOperationStores({ path: process.env.CCL_STATE_FILE });
const chat = watched(stores.chat);
const { chat: _, ...calls } = stores.runs;
const runs = { ...watched(calls), chat };
const world = createStateWorld(operations, { ...stores, runs, chat }, (prompt) =>
  write({ prompt }),
);
for await (const line of createInterface({ input: process.stdin })) {
  const { name, parameter, ...of } = JSON.parse(line);
  killAt = of.killAt ?? -1;
  points = 0;
  try {
    const value = await (name === "say" ? world.say(parameter) : world.chat[name](parameter));
    write({ value: value ?? null });
  } catch (error) {
    write({ code: error.code ?? String(error) });
  }
}
await stores.close();
