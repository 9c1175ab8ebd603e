import { readFile } from "node:fs/promises";

import { CclError } from "@ccl/core";

import { readView, type ReadViewOptions } from "./read-view.ts";
import type { InspectorSource } from "./views.ts";

/** A page that works without a server. */
export interface ExportedPage {
  html: string;
  /** Number of views that were omitted to limit the page's size. */
  left: number;
}

const maxCharacters = 20_000_000;
const lists = ["overview", "sessions", "gateway", "runs", "plans"];
/** Number of newest runs and applied plans to include in full. */
const newest = 10;

/**
 * Exports a single HTML file that opens from disk, with the lists, the newest runs, and one
 * session: the one in the parameter `session`, or the newest. It contains all prompts of the
 * session, and the full texts of the prompt `at`, or of the last one.
 * @throws the source's error if the given session cannot be read
 */
export async function exportPage(
  source: InspectorSource,
  { parameters: { session, at }, signal }: ReadViewOptions,
): Promise<ExportedPage> {
  const views: Record<string, unknown> = {};
  let [length, left] = [0, 0];
  const keep = async (name: string, given: Record<string, string> = {}): Promise<void> => {
    if (length > maxCharacters) left += 1;
    else {
      const view = await readView(source, name, { parameters: given, signal }).catch(failureOf);
      views[`${name}?${new URLSearchParams(given)}`] = view;
      length += JSON.stringify(view, plainValue).length;
    }
  };
  for (const name of lists) await keep(name);
  const shown = await source.prompt?.({ session, at }, { signal }).catch((error: unknown) => {
    // The page has the lists even if there is no session.
    if (session !== undefined) throw error;
  });
  if (shown) {
    const [place, ofSession] = [shown.prompt.at, { session: shown.session.id }];
    await keep("session", ofSession);
    await keep("prompt", ofSession);
    await keep("replay", { budget: "8000", ...ofSession });
    for (const { at: part } of shown.parts)
      for (const of of [{}, { of: "original" }])
        await keep("text", { at: `${place}`, ...of, part: `${part}`, ...ofSession });
    // Nearest first.
    const places = [...Array(shown.session.prompts).keys()];
    for (const candidate of places.sort((a, b) => Math.abs(a - place) - Math.abs(b - place))) {
      await keep("prompt", { at: `${candidate}`, ...ofSession });
      await keep("compared", {
        at: `${candidate}`,
        ...ofSession,
        with: `${Math.max(0, candidate - 1)}`,
      });
    }
  }
  const { transactions = [] } = (await source.plans?.({}, { signal }).catch(() => undefined)) ?? {};
  for (const { transactionId } of transactions.slice(0, newest))
    await keep("applied", { id: transactionId });
  const { runs = [] } = (await source.runs?.({}, { signal }).catch(() => undefined)) ?? {};
  for (const { id } of runs.slice(0, newest)) {
    await keep("run", { id });
    await keep("sent", { id });
  }
  const json = JSON.stringify(views, plainValue).replaceAll("<", String.raw`\u003c`);
  const data = `<script type="application/json" id="views">${json}</script>`;
  return { html: (await readPage()).replace("<!--views-->", () => data), left };
}

/** Returns the built page, without data. */
export function readPage(): Promise<string> {
  return readFile(new URL("../dist/page/page.html", import.meta.url), "utf8");
}

/** Converts an error for the page. Shows only messages that are intended for people. */
export function failureOf(error: unknown): { error: { code: string; message: string } } {
  const { code, message } = CclError.isInstance(error)
    ? error
    : { code: "failed", message: "It can't be read." };
  return { error: { code: String(code), message } };
}

/** A JSON replacer that converts each bigint to a string. */
export function plainValue(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
