import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";
import { readContent, searchContent } from "@ccl/compress";

import { CliError } from "../cli-error.ts";
import { openState, type State } from "../open-state.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatNumber } from "../output/format-number.ts";
import { printable } from "../output/printable.ts";
import { tableOf } from "../output/table.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl artifacts`. */
export interface ArtifactFlags {
  state?: string | undefined;
  budget?: number | undefined;
  lines?: string | undefined;
}

/** The newest artifacts of the state folder. */
export async function artifactsList(
  session: Session,
  flags: ArtifactFlags,
): Promise<CommandResult> {
  return withState(session, flags, async ({ store }) => {
    const handles = (await allHandles(store)).sort((a, b) => a.createdAt - b.createdAt);
    // What was shown several times has a handle each time, and one row: the last.
    const latest = [...new Map(handles.map((handle) => [handle.artifactId, handle])).values()];
    latest.sort((a, b) => b.createdAt - a.createdAt);
    const rows = latest.map(({ artifactId, sizeBytes, source, summary, createdAt }) => [
      artifactId.slice(0, 12),
      formatNumber(sizeBytes),
      new Date(createdAt).toISOString().slice(0, 16),
      source,
      summary.split("\n", 1)[0]?.slice(0, 60) ?? "",
    ]);
    const columns = ["artifact", { right: "bytes" }, "stored", "by", "about"];
    return { document: { artifacts: latest }, text: tableOf(columns, rows) };
  });
}

/** The lines of an artifact that match words, with what stands around them. */
export async function artifactsSearch(
  session: Session,
  id: string,
  words: string[],
  flags: ArtifactFlags,
): Promise<CommandResult> {
  return withText(session, id, {
    flags,
    show: (content) => {
      const hits = searchContent(content, { query: words.join(" "), budget: flags.budget });
      return { document: { ...hits }, text: () => `${hits.text || "No line matches."}\n` };
    },
  });
}

/** An artifact by its lines or rows. */
export async function artifactsRead(
  session: Session,
  id: string,
  flags: ArtifactFlags,
): Promise<CommandResult> {
  return withText(session, id, {
    flags,
    show: (content) => {
      if (flags.lines === undefined) return { document: { text: content }, text: () => content };
      const [, from, dash, to] = /^(\d+)(-?)(\d*)$/.exec(flags.lines) ?? [];
      if (from === undefined)
        throw new CliError("usage", `"${flags.lines}" names no lines; say 10-40, 10- or 7.`);
      const end = to === "" ? (dash === "" ? Number(from) : Number.MAX_SAFE_INTEGER) : Number(to);
      const piece = readContent(content, { from: Number(from), to: end, budget: flags.budget });
      return { document: { ...piece }, text: () => `${piece.text}\n` };
    },
  });
}

async function withText(
  session: Session,
  id: string,
  { flags, show }: { flags: ArtifactFlags; show: (content: string) => CommandResult },
): Promise<CommandResult> {
  return withState(session, flags, async ({ store }) => {
    const bytes = await store.retrieve(await wholeId(store, id), { signal: session.signal });
    if (bytes === undefined) throw unknownArtifact(id);
    return show(new TextDecoder().decode(bytes));
  });
}

/** The id that begins so. */
async function wholeId(store: ArtifactStore, id: string): Promise<string> {
  if (!/^[0-9a-f]{6,64}$/.test(id)) throw unknownArtifact(id);
  if (id.length === 64) return id;
  const ids = new Set((await allHandles(store)).map(({ artifactId }) => artifactId));
  const found = [...ids].filter((one) => one.startsWith(id));
  if (found.length > 1)
    throw new CliError("usage", `${found.length} artifacts begin with ${id}; give more digits.`);
  if (found[0] === undefined) throw unknownArtifact(id);
  return found[0];
}

function unknownArtifact(id: string): CliError {
  return new CliError(
    "usage",
    `There is no artifact ${printable(id)} here. "ccl artifacts ls" lists them.`,
  );
}

/** Every reference of a store. */
export async function allHandles(store: ArtifactStore): Promise<ArtifactHandle[]> {
  const handles: ArtifactHandle[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listHandles({ cursor });
    handles.push(...page.handles);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return handles;
}

/** Runs work on the state. */
export async function withState(
  session: Session,
  { state }: Pick<ArtifactFlags, "state">,
  work: (state: State) => Promise<CommandResult>,
): Promise<CommandResult> {
  const opened = await openState(session, { state });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
