import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";

import { exportPage, openInspector, readView } from "@ccl/inspector";

import { usageError } from "../cli-error.ts";
import { inspectorSource, type UiFlags } from "./inspector-source.ts";
import type { CommandResult, Session } from "../session.ts";

/** Serves the page until interrupted, or prints one view. */
export async function ui(
  session: Session,
  view: string | undefined,
  parameters: readonly string[],
  flags: UiFlags,
): Promise<CommandResult> {
  const source = inspectorSource(session, flags);
  const shown = view ?? (session.isJson ? "overview" : undefined);
  if (flags.export !== undefined) {
    const given = view === undefined ? [] : [view, ...parameters];
    const { html, left } = await exportPage(source, {
      parameters: readParameters(given),
      signal: session.signal,
    });
    await writeFile(resolve(session.root, flags.export), html);
    const rest = left === 0 ? "" : `; ${left} views are not in it, since it would be too large`;
    return {
      document: { file: flags.export, left },
      text: `${flags.export} holds what the page shows${rest}\n`,
    };
  }
  if (shown !== undefined) {
    const given = { parameters: readParameters(parameters), signal: session.signal };
    const document = await readView(source, shown, given);
    return { document, text: `${JSON.stringify(document, null, 2)}\n` };
  }
  const inspector = await openInspector({ source, port: flags.port });
  // Warms up, so that the first view is as fast as later ones. The view itself reports errors.
  source.sessions?.({}, session).catch(() => undefined);
  const { colours } = session.noteStyle;
  session.terminal.stderr.write(
    `${colours.green("listening")} on ${inspector.url} for ${session.root}. It only reads; Ctrl+C ends it.\n`,
  );
  if (!session.signal.aborted) await once(session.signal, "abort");
  await inspector.close();
  return { document: { url: inspector.url } };
}

function readParameters(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf("=");
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
      throw usageError(`${JSON.stringify(text)} is not a parameter; give name=value.`);
    }),
  );
}
