import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import type { ToldRun } from "../told-run.ts";
import { escapeHtml } from "./html.ts";
import { reportPage } from "./report-page.ts";

/** Writes the runs of one or several chats to a file beside this program, in `dist/`; gives its path. */
export async function writeReport(...chats: readonly (readonly ToldRun[])[]): Promise<string> {
  const page = reportPage(chats);
  assert.ok(
    !/<script|<img|\son\w+=["']?\w/i.test(withoutText(page)),
    "nothing that was said has become markup",
  );
  for (const { said } of chats.flat())
    assert.ok(page.includes(escapeHtml(said)), "what was said stands in the report as text");
  const file = fileURLToPath(new URL("report.html", import.meta.url));
  await writeFile(file, page);
  return file;
}

/** The tags of a page alone. */
function withoutText(page: string): string {
  return (page.match(/<[^>]*>/g) ?? []).join("\n");
}
