// A process during a power cut: `write` acknowledges contents until the disk fails, `check` looks which of them exist.
import { createHash } from "node:crypto";
import fs from "node:fs";

import { contentOf } from "./artifact-rounds.mjs";
import { artifactSubjects } from "./artifact-subjects.mjs";

const [role, name, folder] = process.argv.slice(2);
const { open } = artifactSubjects().find((subject) => subject.name === name);
const store = await open(folder);

if (role === "write") {
  for (let index = 0; ; index += 1) {
    const item = contentOf(index, 1 + ((index * 7919) % 20_000));
    try {
      await store.put(item);
      fs.writeSync(1, `${item.id}\n`);
    } catch {
      process.exit();
    }
  }
}
const found = { lost: 0, wrong: 0 };
for (const id of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const bytes = await Promise.resolve(store.get(id)).catch(() => undefined);
  if (bytes === undefined || bytes === null) found.lost += 1;
  else if (createHash("sha256").update(bytes).digest("hex") !== id) found.wrong += 1;
}
fs.writeSync(1, JSON.stringify(found));
process.exit();
