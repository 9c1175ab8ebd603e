import { buildCard, createContextFiles } from "@ccl/aliases";

import { CliError, requireValid } from "../cli-error.ts";
import { formatCount } from "../output/text.ts";
import { tableOf } from "../output/table.ts";
import { withFiles, withProject, resolveAlias } from "../project.ts";
import type { CommandResult, Session } from "../session.ts";

/** Writes the cards of these aliases, or of all aliases. Binary files have no card. */
export async function cardsBuild(session: Session, aliases: string[]): Promise<CommandResult> {
  const { progress } = session;
  const cards: { alias: string; kind: string; file: string }[] = [];
  const skipped: { alias: string; reason: string }[] = [];
  await withProject(session, true, async (registry) => {
    const files = createContextFiles(registry);
    const requested = aliases.length > 0 ? aliases : registry.list().map((entry) => entry.alias);
    for (const [index, name] of requested.entries()) {
      progress.update("Building cards", index, requested.length);
      const found = await registry.resolve(name, session);
      if (aliases.length === 0 && !found.ok) {
        skipped.push({ alias: name, reason: "missing" });
        continue;
      }
      const { alias, path, text } = requireValid(found);
      if (text === undefined) {
        skipped.push({ alias, reason: "binary" });
        continue;
      }
      const card = await buildCard({ alias, path, text }, session);
      cards.push({ alias, kind: card.kind, file: await files.writeCard(alias, card, session) });
    }
  });
  const rows = cards.map(({ alias, kind, file }) => [alias, kind, file]);
  return {
    document: { cards, skipped },
    text: tableOf(["alias", "kind", "file"], rows),
    note: `${formatCount(cards.length, "card")} written, ${skipped.length} left out\n`,
  };
}

/** Prints the card of one alias, built from the current file. */
export function cardsShow(session: Session, name: string): Promise<CommandResult> {
  return withFiles(session, {}, async ({ registry }) => {
    const { alias, path, sha8, text } = await resolveAlias(registry, name, session);
    if (text === undefined)
      throw new CliError("input_invalid", `${alias} is a binary file, so it has no card.`);
    const { kind, lines, text: card } = await buildCard({ alias, path, text }, session);
    return { document: { alias, path, sha8, kind, lines }, text: `${card}\n` };
  });
}
