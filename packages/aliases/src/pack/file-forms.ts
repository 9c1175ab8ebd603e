import { redactSecrets, type TokenCounter } from "@ccl/core";

import { buildCard } from "../card/build-card.ts";
import { toCompactView } from "../compress/to-compact-view.ts";
import { buildOutlines } from "../outline/build-outline.ts";
import { outlineLanguage } from "../outline/outline-language.ts";
import {
  OUTLINE_DEPTHS,
  type Outline,
  type OutlineDepth,
  type OutlineItem,
  type OutlineLanguage,
} from "../outline/outline.ts";
import { renderOutlineItems } from "../outline/render-outline.ts";
import { aliasPrefix } from "../registry/alias-prefix.ts";
import type { DerivedCache } from "../registry/alias-registry.ts";
import type { Form } from "./fit-forms.ts";
import type { PackLevel } from "./pack.ts";
import type { PackFile } from "./pack-file.ts";
import { renderBlock } from "./render-pack.ts";

/** One way to show a file, ready to print. */
export interface FileForm extends Form {
  level: PackLevel;
  /** Without the header line; empty for a reference. */
  body: string;
  /** What was cut and how to get it; empty where nothing was. */
  mark: string;
  isCut: boolean;
}

/** How deep to look into a file: what a rank far down can't win is not worth the parsing. */
interface FormDepth {
  hasSignatures: boolean;
  hasFull: boolean;
}

/** What building forms needs. */
export interface FormContext {
  counter: TokenCounter;
  /** How many words of the task a text has. */
  countTaskWords: (text: string) => number;
  cache: DerivedCache;
  /** Maximum tokens that the file may take. */
  capTokens: number;
  depth: FormDepth;
  signal?: AbortSignal | undefined;
}

/** How much each level says, where a list of all declarations is 1; tuned on the commits of real repositories. */
const VALUES = {
  reference: 0.12,
  cutCard: 0.5,
  card: 0.6,
  formCard: 1,
  cutHeads: 0.8,
  heads: 1,
  focusHeads: 1.2,
  signatures: 1.35,
  full: 2,
};
/** A list of declarations that is longer is offered cut as well. */
const CUT_TOKENS = 120;
/** Kinds of files that get a card; for the others it is what is left when there is nothing better. */
const FORM_PREFIXES = new Set(["A", "P", "S", "PR", "C", "D"]);
/** Written as prose or data, these say nothing by their headings and keys. */
const CARD_PREFIXES = new Set(["A", "P", "S", "PR", "C"]);
const CARD_LANGUAGES = new Set<OutlineLanguage | undefined>([
  "markdown",
  "json",
  "yaml",
  undefined,
]);
const NO_OUTLINE: Pick<Outline, "items"> = { items: [] };

function isCardOnly(file: PackFile): boolean {
  return (
    CARD_PREFIXES.has(aliasPrefix(file.alias)) && CARD_LANGUAGES.has(outlineLanguage(file.path))
  );
}

/** Every form of a file that keeps within its cap. */
export async function buildForms(file: PackFile, context: FormContext): Promise<FileForm[]> {
  const drafts: Draft[] = [{ level: "reference", body: "", value: VALUES.reference }];
  const heads = isCardOnly(file) ? NO_OUTLINE : await cachedOutline(file, "heads", context);
  if (heads.items.length > 0) drafts.push(...(await outlineDrafts(file, heads, context)));
  drafts.push(...(await cardDrafts(file, { hasOutline: heads.items.length > 0, context })));
  if (context.depth.hasFull && file.text.length < context.capTokens * MAX_CHARS_PER_TOKEN) {
    drafts.push({ level: "full", body: await cachedView(file, context), value: VALUES.full });
  }
  const forms = drafts.map((draft) => toForm(file, draft, context.counter));
  return forms.filter((form) => form.tokens <= context.capTokens);
}

/** What code and prose stay below once comments are gone; a longer text is hardly ever within the cap. */
const MAX_CHARS_PER_TOKEN = 6;

interface Draft {
  level: PackLevel;
  body: string;
  value: number;
  mark?: string | undefined;
}

function toForm(file: PackFile, draft: Draft, counter: TokenCounter): FileForm {
  const body = guardMarkers(redactSecrets(draft.body).text.trimEnd());
  const { level, value, mark = "" } = draft;
  return {
    level,
    body,
    mark,
    value,
    isCut: mark !== "",
    tokens: counter.count(renderBlock(file, { body, mark })),
  };
}

/** A file can't open or close a section of the pack: its lines that look like a marker are moved in by a space. */
function guardMarkers(body: string): string {
  return body.replace(/^(?=\[(?:CONTEXT|INSTRUCTION|DELTA)\])/gm, " ");
}

/** One parse gives both depths: what a later, larger pack needs is there already. */
async function cachedOutline(
  file: PackFile,
  depth: OutlineDepth,
  { cache, signal }: FormContext,
): Promise<Pick<Outline, "items">> {
  const kindOf = (wanted: OutlineDepth): string =>
    `outline-2-${wanted}-${outlineLanguage(file.path) ?? "none"}`;
  const cached = cache.get(kindOf(depth), file.sha256);
  if (cached !== undefined) return { items: JSON.parse(cached) };
  const outlines = await buildOutlines(file, signal && { signal });
  for (const each of OUTLINE_DEPTHS)
    cache.set(kindOf(each), file.sha256, JSON.stringify(outlines[each].items));
  return outlines[depth];
}

async function cachedView(file: PackFile, { cache, counter }: FormContext): Promise<string> {
  const kind = `view-1-${counter.name}-${file.path.slice(file.path.lastIndexOf(".") + 1)}`;
  const cached = cache.get(kind, file.sha256);
  if (cached !== undefined) return cached;
  const { text } = await toCompactView(file, counter);
  cache.set(kind, file.sha256, text);
  return text;
}

async function outlineDrafts(
  file: PackFile,
  heads: Pick<Outline, "items">,
  context: FormContext,
): Promise<Draft[]> {
  const body = renderOutlineItems(heads.items, "heads");
  const drafts: Draft[] = [{ level: "heads", body, value: VALUES.heads }];
  const relevance = heads.items.map((item) => context.countTaskWords(item.text));
  if (context.counter.count(body) > CUT_TOKENS) {
    const cut = cutItems(file, { items: heads.items, relevance, counter: context.counter });
    drafts.push({ level: "heads", value: VALUES.cutHeads, ...cut });
  }
  if (!context.depth.hasSignatures) return drafts;
  const signatures = await cachedOutline(file, "signatures", context);
  drafts.push({
    level: "signatures",
    body: renderOutlineItems(signatures.items, "signatures"),
    value: VALUES.signatures,
  });
  const matching = new Set(
    heads.items.filter((_, index) => (relevance[index] ?? 0) > 0).map((item) => item.firstLine),
  );
  const detailed = signatures.items.filter((item) => matching.has(item.firstLine));
  if (detailed.length > 0 && detailed.length * 2 < signatures.items.length) {
    const rest = heads.items.filter((item) => !matching.has(item.firstLine));
    const mixed = `${renderOutlineItems(detailed, "signatures")}\n${renderOutlineItems(rest, "heads")}`;
    drafts.push({ level: "heads", body: mixed, value: VALUES.focusHeads });
  }
  return drafts;
}

/** The items that fit some hundred tokens, those of the task first, in the order of the source, and what is missing. */
function cutItems(
  file: PackFile,
  from: { items: OutlineItem[]; relevance: number[]; counter: TokenCounter },
): Pick<FileForm, "body" | "mark"> {
  const order = [...from.items.keys()].sort(
    (a, b) => (from.relevance[b] ?? 0) - (from.relevance[a] ?? 0) || a - b,
  );
  const kept = new Set<number>();
  let tokens = 0;
  for (const index of order) {
    tokens += from.counter.count(`, ${from.items[index]?.text ?? ""}`);
    if (tokens > CUT_TOKENS && kept.size > 0) break;
    kept.add(index);
  }
  const left = from.items.filter((_, index) => !kept.has(index));
  const shown = from.items.filter((_, index) => kept.has(index));
  return {
    body: renderOutlineItems(shown, "heads"),
    mark: left.length === 0 ? "" : cutMark(file.alias, left),
  };
}

/** Says what is missing and how to get it. */
function cutMark(alias: string, left: Pick<OutlineItem, "firstLine" | "lastLine">[]): string {
  const first = Math.min(...left.map((item) => item.firstLine));
  const last = Math.max(...left.map((item) => item.lastLine));
  const lines = left.reduce((sum, item) => sum + item.lastLine - item.firstLine + 1, 0);
  return `... +${lines} lines, get_alias("${alias}", lines ${first}-${last})`;
}

async function cardDrafts(
  file: PackFile,
  from: { hasOutline: boolean; context: FormContext },
): Promise<Draft[]> {
  const isForm = FORM_PREFIXES.has(aliasPrefix(file.alias));
  if (from.hasOutline && !isForm) return [];
  const { cache, counter, capTokens } = from.context;
  const kind = `card-1-${aliasPrefix(file.alias)}-${file.path.slice(file.path.lastIndexOf("/") + 1)}`;
  let body = cache.get(kind, file.sha256);
  if (body === undefined) {
    body = (await buildCard(file, from.context.signal && { signal: from.context.signal })).text;
    cache.set(kind, file.sha256, body);
  }
  if (body === "") return [];
  if (counter.count(renderBlock(file, { body })) <= capTokens) {
    return [{ level: "card", body, value: isForm ? VALUES.formCard : VALUES.card }];
  }
  return cutCard(file, body, from.context);
}

function cutCard(file: PackFile, card: string, context: FormContext): Draft[] {
  const lines = card.split("\n");
  const mark = cutMark(file.alias, [{ firstLine: 1, lastLine: file.text.split("\n").length }]);
  for (let kept = lines.length - 1; kept > 0; kept--) {
    const body = lines.slice(0, kept).join("\n");
    if (context.counter.count(renderBlock(file, { body, mark })) <= context.capTokens) {
      return [{ level: "card", body, mark, value: VALUES.cutCard }];
    }
  }
  return [];
}
