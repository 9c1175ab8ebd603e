import type { ArtifactHandle, ArtifactStore, HandleKey } from "@ccl/artifact-store";
import { readContent, searchContent } from "@ccl/compress";
import { decidedSessions, forgetDecisions, readDecisions } from "@ccl/gateway";

import { withState } from "../artifact-folder.ts";
import { CliError, usageError } from "../cli-error.ts";
import { formatCount, formatNumber, printable } from "../output/text.ts";
import { tableOf } from "../output/table.ts";
import type { CommandResult, Session } from "../session.ts";

/** Flags of `ccl artifacts`. */
interface ArtifactFlags {
  state?: string | undefined;
  budget?: number | undefined;
  lines?: string | undefined;
}

/** Lists the newest artifacts of the state folder. */
export async function artifactsList(
  session: Session,
  flags: ArtifactFlags,
): Promise<CommandResult> {
  return withState(session, flags, async ({ store }) => {
    const { handles, damaged } = await allHandles(store);
    handles.sort((a, b) => a.createdAt - b.createdAt);
    // An artifact has one handle for each time it was shown. List it once, with its latest handle.
    const latest = [...new Map(handles.map((handle) => [handle.artifactId, handle])).values()];
    latest.sort((a, b) => b.createdAt - a.createdAt);
    const rows = latest.map(({ artifactId, sizeBytes, source, summary, createdAt }) => [
      artifactId.slice(0, 12),
      formatNumber(sizeBytes),
      new Date(createdAt).toISOString().slice(0, 16),
      source,
      summary.split("\n", 1)[0]?.slice(0, 60) ?? "",
    ]);
    for (const { artifactId } of damaged)
      rows.push([artifactId.slice(0, 12), "", "", "", "the handle is damaged"]);
    const columns = ["artifact", { right: "bytes" }, "stored", "by", "about"];
    return {
      document: { artifacts: latest, damaged },
      text: tableOf(columns, rows, ""),
      note:
        rows.length === 0
          ? "Nothing is stored here yet. ccl shrink and ccl proxy store results.\n"
          : "",
    };
  });
}

/** Prints the lines of an artifact that match a query, with their surroundings. */
export async function artifactsSearch(
  session: Session,
  id: string,
  words: string[],
  flags: ArtifactFlags,
): Promise<CommandResult> {
  const content = await textOf(session, id, flags);
  const hits = searchContent(content, { query: words.join(" "), budget: flags.budget });
  return { document: { ...hits }, text: `${hits.text || "No line matches."}\n` };
}

/** Prints an artifact by lines or rows. */
export async function artifactsRead(
  session: Session,
  id: string,
  flags: ArtifactFlags,
): Promise<CommandResult> {
  const text = await textOf(session, id, flags);
  if (flags.lines === undefined) return { document: { text }, text };
  const [, from, dash, to] = /^(\d+)(-?)(\d*)$/.exec(flags.lines) ?? [];
  if (from === undefined)
    throw usageError(`"${flags.lines}" is not a range of lines. Write 10-40, 10- or 7.`);
  const end = to === "" ? (dash === "" ? Number(from) : Number.MAX_SAFE_INTEGER) : Number(to);
  const piece = readContent(text, { from: Number(from), to: end, budget: flags.budget });
  return { document: { ...piece }, text: `${piece.text}\n` };
}

/** Reads the text of the artifact whose id begins with `id`. */
function textOf(session: Session, id: string, flags: ArtifactFlags): Promise<string> {
  return withState(session, flags, async ({ store }) => {
    const bytes = await store.retrieve(await wholeId(store, id), session);
    if (bytes === undefined) throw unknownArtifact(id);
    return new TextDecoder().decode(bytes);
  });
}

/** Finds the full id for a prefix. */
async function wholeId(store: ArtifactStore, id: string): Promise<string> {
  if (!/^[0-9a-f]{6,64}$/.test(id)) throw unknownArtifact(id);
  if (id.length === 64) return id;
  const { handles, damaged } = await allHandles(store);
  const ids = new Set([...handles, ...damaged].map(({ artifactId }) => artifactId));
  const found = [...ids].filter((candidate) => candidate.startsWith(id));
  if (found.length > 1)
    throw usageError(`${found.length} artifacts start with ${id}. Type more digits.`);
  if (found[0] === undefined) throw unknownArtifact(id);
  return found[0];
}

function unknownArtifact(id: string): CliError {
  return usageError(`There is no artifact ${printable(id)} here. "ccl artifacts ls" lists them.`);
}

/** Reads every handle of a store. */
async function allHandles(
  store: ArtifactStore,
): Promise<{ handles: ArtifactHandle[]; damaged: HandleKey[] }> {
  const handles: ArtifactHandle[] = [];
  const damaged: HandleKey[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listHandles({ cursor });
    handles.push(...page.handles);
    damaged.push(...(page.damaged ?? []));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { handles, damaged };
}

/** Flags of `ccl artifacts prune`. */
interface PruneFlags {
  days: number;
  state?: string | undefined;
  dryRun?: boolean | undefined;
}

const dayMs = 86_400_000;
/** Minimum number of digits of an artifact id in a prompt. */
const idDigits = 12;

/**
 * Removes artifacts older than some days, and the decisions of proxies for sessions without a request since then. Keeps
 * artifacts that recent sessions show, and those that were stored again meanwhile.
 */
export async function artifactsPrune(session: Session, flags: PruneFlags): Promise<CommandResult> {
  const { days, dryRun = false } = flags;
  const { signal } = session;
  const before = Date.now() - days * dayMs;
  return withState(session, flags, async ({ store, kind, decisions: openDecisions }) => {
    const decisions = await openDecisions();
    const sessions = [...(await decidedSessions(decisions))];
    const ended = sessions.flatMap(([sessionId, last]) => (last < before ? [sessionId] : []));
    // Delete decisions first: a session that resumes then finds none, and stores what it shows again.
    if (!dryRun) await forgetDecisions(decisions, ended, before);
    const shown = new Set<string>();
    for (const [sessionId] of sessions.filter(([, last]) => last >= before))
      for (const name of namesIn(JSON.stringify(await readDecisions(decisions, sessionId))))
        shown.add(name);
    await decisions.close();
    const old = (await allHandles(store)).handles.filter(
      (handle) => handle.createdAt < before && (kind !== "postgres" || isOfCcl(handle)),
    );
    const expired = old.filter(({ artifactId }) => !shown.has(artifactId.slice(0, idDigits)));
    const bytes = expired.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (!dryRun) {
      for (const { artifactId, handleId } of expired)
        await store.delete(artifactId, { handleId, signal });
      await store.collectGarbage({ graceMs, signal });
    }
    const kept = old.length - expired.length;
    const document = { removed: expired.length, kept, bytes, sessions: ended.length };
    const done = dryRun ? "would remove" : "removed";
    const counts = `${formatCount(expired.length, "artifact")} (${formatNumber(bytes)} bytes) and the decisions of ${formatCount(ended.length, "session")}`;
    const shownStill = `; kept ${formatCount(kept, "older artifact")} that sessions of the last ${days} days show`;
    const text = `${done} ${counts}${kept === 0 ? "" : shownStill}\n`;
    return { document: { ...document, dryRun }, text };
  });
}

/**
 * Minimum age in milliseconds, which protects artifacts that are being written. A later run frees the space of removed
 * ones.
 */
const graceMs = 600_000;

/** True if a proxy or `ccl shrink` stored the artifact. An application may use the same database. */
function isOfCcl({ source, sessionId }: ArtifactHandle): boolean {
  return (
    source === "ccl shrink" ||
    (source.startsWith("tool:") && /^[0-9a-f]{64}$/.test(sessionId ?? ""))
  );
}

function namesIn(text: string): string[] {
  const ids = text.match(/\b[0-9a-f]{12,64}\b/g) ?? [];
  return ids.map((id) => id.slice(0, idDigits));
}
