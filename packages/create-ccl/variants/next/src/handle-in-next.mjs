// One chat for all routes. Next gives each route a module of its own, so the handler is kept with the process.
import { readFile } from "node:fs/promises";
import path from "node:path";

import { createHandler } from "./create-handler.mjs";
import { openModel } from "./open-model.mjs";

export async function handle(request) {
  globalThis.chatHandler ??= open();
  const answer = await globalThis.chatHandler;
  return answer(request);
}

async function open() {
  const page = await readFile(path.join(process.cwd(), "src/page.html"), "utf8");
  return createHandler({ page, ...(await openModel(process.env)) });
}
