// Imports a chat that SillyTavern exported: npm run import -- export.jsonl [name of the chat]
import { readFile } from "node:fs/promises";

import { openSqliteOperationStores } from "@ccl/operations/sqlite";

import { readSillyTavernChat } from "./read-silly-tavern-chat.mjs";

const [file, chatId = "story"] = process.argv.slice(2);
if (file === undefined) {
  console.error("Say which file: npm run import -- export.jsonl [name of the chat]");
  process.exit(1);
}
const turns = readSillyTavernChat(await readFile(file, "utf8"));
const stores = await openSqliteOperationStores({ path: process.env.STORY_FILE ?? "story.db" });
await stores.chat.importTurns({ chatId, branchId: "main", turns });
await stores.close();
console.log(`${turns.length} turns in the chat ${chatId}`);
