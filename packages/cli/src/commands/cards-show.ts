import { buildCard } from "@ccl/aliases";

import { CliError } from "../cli-error.ts";
import type { CommandResult } from "../output/command-result.ts";
import { withPresentFiles } from "../project.ts";
import { resolveAlias } from "../resolve-alias.ts";
import type { Session } from "../session.ts";

/** Prints the card of one alias, made from the file as it is now. */
export async function cardsShow(session: Session, name: string): Promise<CommandResult> {
  const { signal } = session;
  return await withPresentFiles(session, async (registry) => {
    const { alias, path, sha8, text } = await resolveAlias(registry, name, session);
    if (text === undefined)
      throw new CliError("input_invalid", `${alias} is a binary file; it has no card.`);
    const { kind, lines, text: card } = await buildCard({ alias, path, text }, { signal });
    return { document: { alias, path, sha8, kind, lines }, text: () => `${card}\n` };
  });
}
