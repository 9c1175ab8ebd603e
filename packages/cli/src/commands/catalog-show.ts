import type { DetailsCard, ResourceColumn, SeenOverview } from "@ccl/catalog";
import type { ResourceView } from "@ccl/inspector";

import { readCatalog, type ReadCatalog, withSnapshot } from "../catalog/read-catalog.ts";
import { openCatalog, owner } from "../catalog/open-catalog.ts";
import { usageError } from "../cli-error.ts";
import { printable, printableLines } from "../output/text.ts";
import type { Style } from "../output/style.ts";
import { renderTable } from "../output/table.ts";
import type { CommandResult, Session } from "../session.ts";

const COLUMNS = ["name", "type", "key", "about"] as const;
const SUGGESTIONS = 3;

/** Shows a resource of the project's catalog. */
export async function catalogCard(session: Session, id: string): Promise<CommandResult> {
  return catalogShow(session, id, await readCatalog(session));
}

/** Shows all details of a resource, including personal columns. */
export async function catalogShow(
  session: Session,
  id: string,
  read: ReadCatalog,
): Promise<CommandResult & { view: ResourceView }> {
  const { signal } = session;
  const matching = read.records.filter((record) => record.id === id);
  const { catalog } = await openCatalog(matching, session);
  const ask = { principal: owner, signal };
  const { items } = await catalog.details([id], { ...ask, columnLimit: 10_000, snippetLimit: 100 });
  const overview = (await catalog.overview({ ...ask, ids: [id] })).items[0];
  const card = items[0];
  if (card === undefined || overview === undefined) {
    const { hits } = await withSnapshot(read, session, (snapshot) =>
      snapshot.search({ text: id, limit: SUGGESTIONS, signal }),
    );
    const near = hits.length === 0 ? "" : ` Similar: ${hits.map((hit) => hit.id).join(", ")}.`;
    throw usageError(
      `The catalog has no resource ${JSON.stringify(id)}.${near} "ccl catalog search <words>" finds ids.`,
    );
  }
  const view = resourceView(overview, card);
  return {
    view,
    document: { overview, details: card },
    text: (style) => renderResource(view, card, style),
  };
}

function renderResource(
  { title: name, facts, columns }: ResourceView,
  { usage = {} }: DetailsCard,
  style: Style,
): string {
  const { colours } = style;
  const lines = facts.map((fact) => `${colours.dim(`${fact.name}:`)} ${printable(fact.value)}\n`);
  const parts = [`${colours.bold(printable(name))}\n${lines.join("")}`];
  const rows = columns.map((column) => COLUMNS.map((key) => column[key]));
  if (rows.length > 0) parts.push(renderTable(["column", ...COLUMNS.slice(1)], rows, style));
  for (const { engine, code, title } of usage.snippets ?? []) {
    const heading = title === undefined ? engine : `${engine}, ${title}`;
    const lines = printableLines(code).replaceAll(/^/gm, "  ");
    parts.push(`${colours.dim(`snippet ${printable(heading)}:`)}\n${lines}\n`);
  }
  const avoid = (usage.anti_patterns ?? []).map((text) => `  ${printable(text)}\n`);
  if (avoid.length > 0) parts.push(`${colours.dim("avoid:")}\n${avoid.join("")}`);
  return parts.join("\n");
}

function resourceView(overview: SeenOverview, card: DetailsCard): ResourceView {
  const { id, kind } = overview;
  const { title, columns = [], usage = {} } = card;
  return {
    id,
    kind,
    title,
    facts: factsOf(overview, card),
    columns: columns.map(columnView),
    snippets: (usage.snippets ?? []).map(({ engine, code, title: name = "" }) => ({
      title: `${engine} ${name}`.trim(),
      code,
    })),
  };
}

function factsOf(overview: SeenOverview, card: DetailsCard): ResourceView["facts"] {
  const { id, kind, uri, tags, owner: team, updated_at, rev, schema_hash } = overview;
  const { shape, pushdown, cap = [], access, quality, description, constraints } = card;
  const able = Object.entries(pushdown ?? {}).flatMap(([name, isAble]) =>
    isAble === true ? [name] : [],
  );
  const facts: [string, string | undefined][] = [
    ["id", id],
    ["kind", kind],
    ["uri", uri],
    ["about", description],
    ["tags", tags.join(", ")],
    ["owner", team],
    ["rows", shape?.rows_est === undefined ? undefined : String(shape.rows_est)],
    ["can", cap.join(", ")],
    ["pushdown", able.join(", ")],
    ["policy", access?.policy],
    ["secrets", access?.secrets?.join(", ")],
    ["quality", jsonOf(quality)],
    ["constraints", jsonOf(constraints)],
    ["updated", updated_at],
    ["rev", `${rev}, schema ${schema_hash.slice(0, 8)}`],
  ];
  return facts.flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

function jsonOf(value: object | undefined): string | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : JSON.stringify(value);
}

function columnView({
  name,
  type = "",
  description = "",
  pk,
  nn,
  fk,
  index,
  unit,
  tags = [],
}: ResourceColumn): ResourceView["columns"][number] {
  const key = [
    pk ? "pk" : "",
    nn && !pk ? "not null" : "",
    fk === undefined ? "" : `-> ${fk}`,
    index === undefined || pk ? "" : index,
  ];
  const about = [
    description,
    unit === undefined ? "" : `(${unit})`,
    tags.length === 0 ? "" : `[${tags.join(", ")}]`,
  ];
  const joined = (parts: string[]): string => parts.filter((part) => part !== "").join(" ");
  return { name, type, key: joined(key), about: joined(about) };
}
