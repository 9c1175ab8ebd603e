import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";

import { exportPage, openInspector, readView } from "@ccl/inspector";

import { pair } from "../command-line/command-declaration.ts";
import { jsonOf } from "../output/text.ts";
import { inspectorSource, type UiFlags } from "./inspector-source.ts";
import type { CommandResult, Session } from "../session.ts";

/** Serves the page until interrupted, or prints one view. */
export async function ui(
  session: Session,
  view: string | undefined,
  parameters: readonly string[],
  flags: UiFlags,
): Promise<CommandResult> {
  const { signal } = session;
  const source = inspectorSource(session, flags);
  const shown = view ?? (session.isJson ? "overview" : undefined);
  if (flags.export !== undefined) {
    const given = view === undefined ? [] : [view, ...parameters];
    const { html, left } = await exportPage(source, {
      parameters: Object.fromEntries(given.map(pair)),
      signal,
    });
    await writeFile(resolve(session.root, flags.export), html);
    const rest = left === 0 ? "" : `; views left out because of its size: ${left}`;
    return {
      document: { file: flags.export, left },
      text: `wrote ${flags.export}${rest}\n`,
    };
  }
  if (shown !== undefined) {
    const given = Object.fromEntries(parameters.map(pair));
    const document = await readView(source, shown, { parameters: given, signal });
    return { document, text: jsonOf(document) };
  }
  const inspector = await openInspector({ source, port: flags.port });
  // Warms up, so that the first view is as fast as later ones. The view itself reports errors.
  source.sessions?.({}, session).catch(() => undefined);
  const { colours } = session.noteStyle;
  session.terminal.stderr.write(
    `${colours.green("listening")} on ${inspector.url} for ${session.root}. It only reads; Ctrl+C ends it.\n`,
  );
  if (!signal.aborted) await once(signal, "abort");
  await inspector.close();
  return { document: { url: inspector.url } };
}
