import { inertText } from "../record/inert-text.ts";
import type {
  ResourceColumn,
  ResourceDetails,
  ResourceSnippet,
} from "../record/resource-record.ts";
import { formatCursor, type CardOffsets } from "./details-card.ts";

/** Number of columns that each level adds. */
const columnsOfWindow = 8;
/** Maximum number of snippets that a card shows in a prompt. */
const snippetsOfCard = 2;

const plainName = /^[\p{L}_$][\p{L}\p{N}_$.-]{0,79}$/u;

/** A card that can be shortened. Each level includes the one below. Level 0 only says what the resource is. */
export interface CardText {
  /** The highest level, which shows everything that a prompt may show. */
  levels: number;
  /** The lowest level that is worth its space. It shows a snippet, the anti-patterns and the first columns. */
  core: number;
  /** `cuts` lists what the level leaves out. It is empty if nothing is left out. */
  render(level: number): { text: string; shown: CardOffsets; cuts: string };
}

/** The alias of a card, and its stale digest entries. */
export interface CardHeading {
  alias: string;
  stale: readonly string[];
}

type Piece = { columns: number } | { snippets: number } | "anti_patterns" | "facts" | "about";

/**
 * Builds the levels of a card, in order of priority. They add a snippet, the anti-patterns, the
 * first columns, pushdown capabilities, eight more columns at a time, a second snippet, and finally
 * quality and constraints.
 */
export function cardText(details: ResourceDetails, heading: CardHeading): CardText {
  const columns = details.columns?.length ?? 0;
  const snippets = details.usage?.snippets?.length ?? 0;
  const pieces: Piece[] = [];
  if (snippets > 0) pieces.push({ snippets: 1 });
  if ((details.usage?.anti_patterns?.length ?? 0) > 0) pieces.push("anti_patterns");
  if (columns > 0) pieces.push({ columns: Math.min(columnsOfWindow, columns) });
  pieces.push("facts");
  const core = pieces.length;
  for (let end = columnsOfWindow; end < columns; end += columnsOfWindow) {
    pieces.push({ columns: Math.min(end + columnsOfWindow, columns) });
  }
  if (snippets > 1) pieces.push({ snippets: snippetsOfCard });
  pieces.push("about");
  return {
    levels: pieces.length,
    core,
    render(level) {
      const shown: CardOffsets = { columns: 0, snippets: 0 };
      const included = new Set<Piece>(pieces.slice(0, level));
      for (const piece of included) if (typeof piece === "object") Object.assign(shown, piece);
      const cuts = cutsOf(details, included, shown);
      return { text: renderCard(details, heading, { included, shown, cuts }), shown, cuts };
    },
  };
}

/**
 * Renders full cards, for a prompt without a budget. Text from records is cleaned, so it cannot
 * break out of its line.
 */
export function renderCards(details: readonly ResourceDetails[]): string {
  const cards = details.map((each) => cardText(each, { alias: "", stale: [] }));
  return cards.map((card) => card.render(card.levels).text).join("\n");
}

function renderCard(
  details: ResourceDetails,
  { alias, stale }: CardHeading,
  { included, shown, cuts }: { included: ReadonlySet<Piece>; shown: CardOffsets; cuts: string },
): string {
  const { id, kind, title, uri, columns = [], usage = {} } = details;
  const lines = [`## ${`${alias} ${inertText(title, 120)}`.trim()}`, `id: ${inertText(id, 512)}`];
  lines.push(
    uri === undefined
      ? `kind: ${inertText(kind, 40)}`
      : `kind: ${inertText(kind, 40)} at ${inertText(uri, 300)}`,
  );
  if (included.has("facts") && details.description)
    lines.push(`about: ${inertText(details.description, 300)}`);
  if (shown.columns > 0)
    lines.push(
      "columns:",
      ...columns.slice(0, shown.columns).map((column) => `  ${columnLine(column)}`),
    );
  if (included.has("facts")) lines.push(...factLines(details));
  for (const snippet of usage.snippets?.slice(0, shown.snippets) ?? [])
    lines.push(...snippetLines(snippet));
  if (included.has("anti_patterns")) {
    lines.push(
      "avoid:",
      ...(usage.anti_patterns ?? [])
        .slice(0, maxPatterns)
        .map((text) => `  ${inertText(text, 200)}`),
    );
  }
  if (included.has("about")) lines.push(...qualityLines(details));
  if (stale.length > 0) lines.push(`stale in the overview: ${inertText(stale.join(", "), 200)}`);
  if (cuts !== "")
    lines.push(`[cut: ${cuts}; the rest: details of ${alias} from ${formatCursor(shown)}]`);
  return `${lines.join("\n")}\n`;
}

const maxPatterns = 8;

function cutsOf(
  details: ResourceDetails,
  included: ReadonlySet<Piece>,
  shown: CardOffsets,
): string {
  const { columns = [], usage: { snippets = [], anti_patterns: patterns = [] } = {} } = details;
  const avoided = included.has("anti_patterns") ? Math.min(maxPatterns, patterns.length) : 0;
  const hasFacts = (details.description ?? "") !== "" || factLines(details).length > 0;
  const parts = [
    shown.columns < columns.length
      ? `${columns.length - shown.columns} of ${columns.length} columns`
      : "",
    shown.snippets < snippets.length
      ? `${snippets.length - shown.snippets} of ${snippets.length} snippets`
      : "",
    avoided < patterns.length
      ? `${patterns.length - avoided} of ${patterns.length} things to avoid`
      : "",
    !included.has("facts") && hasFacts ? "description and pushdown" : "",
    !included.has("about") && qualityLines(details).length > 0 ? "quality" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function columnLine({ name, type, description, nn, pk, fk, index, unit }: ResourceColumn): string {
  const shown = plainName.test(name) ? name : JSON.stringify(inertText(name, 80));
  const parts = [
    shown,
    inertText(type ?? "", 40),
    pk === true ? "pk" : "",
    nn === true && pk !== true ? "not null" : "",
    fk === undefined ? "" : `-> ${inertText(fk, 80)}`,
    index === undefined ? "" : `[${inertText(index, 20)}]`,
    inertText(unit ?? "", 20),
    description === undefined || description === "" ? "" : `- ${inertText(description, 80)}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function factLines({ pushdown, cap, shape }: ResourceDetails): string[] {
  const able =
    pushdown === undefined
      ? (cap ?? [])
      : Object.keys(pushdown).filter((name) => Reflect.get(pushdown, name) === true);
  const rows = shape?.rows_est;
  return [
    ...(able.length === 0
      ? []
      : [`${pushdown === undefined ? "can" : "pushdown"}: ${inertText(able.join(" "), 160)}`]),
    ...(rows === undefined ? [] : [`rows: about ${inertText(String(rows), 20)}`]),
  ];
}

/** Indents each line of code by two spaces, so that no line looks like the start of a card. */
function snippetLines({ engine, code, title }: ResourceSnippet): string[] {
  const lines = code.slice(0, 1_200).split(/\r\n|[\n\r\u0085\u2028\u2029]/);
  const shown = lines.slice(0, 24).map((line) => `  ${codeLine(line)}`);
  const isCut = code.length > 1_200 || lines.length > 24;
  const name = title === undefined ? "" : ` ${inertText(title, 80)}`;
  return [
    `snippet ${inertText(engine, 20)}:${name}`,
    ...shown,
    ...(isCut ? ["  [cut: the rest of the snippet]"] : []),
  ];
}

function codeLine(line: string): string {
  const indent =
    /^ {0,12}/.exec(line.replace(/^\t+/, (tabs) => "  ".repeat(Math.min(6, tabs.length))))?.[0] ??
    "";
  return (indent + inertText(line, 200)).trimEnd();
}

function qualityLines({ quality, constraints }: ResourceDetails): string[] {
  const { freshness_sla_s: freshness, null_rate: nulls = {} } = quality ?? {};
  const rates = Object.entries(nulls).slice(0, 8);
  const parts = [
    freshness === undefined ? "" : `fresh within ${freshness} s`,
    rates.length === 0
      ? ""
      : `nulls ${rates.map(([name, rate]) => `${inertText(name, 40)} ${rate}`).join(", ")}`,
  ].filter((part) => part !== "");
  const limits = Object.entries(constraints ?? {}).slice(0, 8);
  const texts = limits.map(
    ([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [
    ...(parts.length === 0 ? [] : [`quality: ${parts.join("; ")}`]),
    ...(texts.length === 0 ? [] : [`constraints: ${inertText(texts.join("; "), 200)}`]),
  ];
}
