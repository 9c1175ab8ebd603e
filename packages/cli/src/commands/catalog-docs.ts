import { join } from "node:path";

import { renderResourcesMarkdown } from "@ccl/catalog";
import { writeFileDurable } from "@ccl/core/node";

import { openSnapshot, readCatalog } from "../catalog/read-catalog.ts";
import { writeOut } from "../deliver-pack.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import { printable } from "../output/printable.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl catalog docs`. */
export interface CatalogDocsFlags {
  out?: string | undefined;
  title?: string | undefined;
}

const IDS_AT_ONCE = 500;

/** Writes `resources.md`: a table of all resources and a card each, for people. Personal columns stay out. */
export async function catalogDocs(
  session: Session,
  flags: CatalogDocsFlags,
): Promise<CommandResult> {
  const { signal } = session;
  const read = await readCatalog(session);
  const catalog = openSnapshot(read);
  const records = read.content.records.map(({ record }) => record);
  const cards = [];
  for (let from = 0; from < records.length; from += IDS_AT_ONCE) {
    const part = records.slice(from, from + IDS_AT_ONCE);
    const ids = part.map(({ id }) => id);
    const { items } = await catalog.details(ids, {
      columnLimit: 10_000,
      snippetLimit: 100,
      signal,
    });
    const byId = new Map(part.map((record) => [record.id, record]));
    for (const card of items) {
      const { tags = [], owner, updated_at } = byId.get(card.id) ?? {};
      cards.push({ ...card, tags, ...(owner && { owner }), ...(updated_at && { updated_at }) });
    }
  }
  const text = renderResourcesMarkdown(
    cards,
    flags.title === undefined ? {} : { title: flags.title },
  );
  if (flags.out === "-") return { document: { text, resources: cards.length }, text: () => text };
  const path = join(read.folder.path, "resources.md");
  const written = flags.out === undefined ? path : await writeOut(flags.out, text, session);
  if (flags.out === undefined) await writeFileDurable(path, text, { signal });
  return {
    document: { written: [written], resources: cards.length },
    text: () => `${printable(written)}: ${formatCount(cards.length, "resource")}\n`,
  };
}
