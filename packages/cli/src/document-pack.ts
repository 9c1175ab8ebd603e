import { basename } from "node:path";

import {
  buildCard,
  rankFiles,
  type AliasRegistry,
  type Pack,
  type PackEntry,
  type RankedFile,
} from "@ccl/aliases";
import type { TokenCounter } from "@ccl/core";

import { CliError } from "./cli-error.ts";
import { gitHistory } from "./git.ts";
import { printable } from "./output/text.ts";
import type { Session } from "./session.ts";

/** The line prefix of each kind of file. */
const LABELS: Record<string, string> = {
  A: "ADR",
  P: "OPTS",
  S: "SCHEMA",
  PR: "PROFILE",
  H: "CODE",
  T: "TEST",
  D: "DOC",
  C: "CONFIG",
};

interface DocumentOptions {
  registry: AliasRegistry;
  task: string;
  budget: number;
  counter: TokenCounter;
  version: { accepted: number; deltas: number; repairs: number };
}

/** Lists references with their hashes by kind, then as many cards as fit. Contains no file's text. */
export async function buildDocumentPack(session: Session, options: DocumentOptions): Promise<Pack> {
  const { registry, task, counter, version } = options;
  const { signal } = session;
  const usable = Math.floor(options.budget * (counter.isExact ? 1 : 0.9));
  const history = gitHistory(session);
  const { files, unmatched } = await rankFiles({ registry, task, history, signal });
  const isDecided = files.some(({ alias }) => alias.startsWith("A."));
  const ver = `ver: A=${version.accepted} B=${version.deltas} C=${version.repairs}`;
  const head = `## skill: ${printable(basename(session.root))}  ${ver}\n## include by alias (alias@sha8), model may request expansion via tool\n`;
  const end = `TASK: ${task}\n\nIf you need full text of an alias, call tool: get_alias("<alias>").\n`;
  let left = usable - counter.count(head + end);
  if (left < 0) {
    const message = `The task alone takes ${counter.count(head + end)} tokens; shorten it or raise the budget.`;
    throw new CliError("budget_exceeded", message);
  }
  const shown: { file: RankedFile; line: string; card: string }[] = [];
  for (const file of files) {
    const line = referenceLine(file, isDecided);
    left -= counter.count(line) + 1;
    if (left < 0) break;
    shown.push({ file, line, card: "" });
  }
  for (const entry of shown) {
    const { alias } = entry.file;
    const content = await registry.resolve(alias, session);
    if (!content.ok || content.value.text === undefined) continue;
    const built = await buildCard({ ...content.value, text: content.value.text }, session);
    const card = `### ${alias}\n${built.text}\n`;
    const tokens = counter.count(card) + 1;
    if (tokens > left) continue;
    left -= tokens;
    entry.card = card;
  }
  const entries = shown.map(({ file, line, card }): PackEntry => {
    const level = card === "" ? "reference" : "card";
    return { ...file, level, tokens: counter.count(line + card), isCut: true };
  });
  const context = [head, ...shown.map(({ line }) => line), ...shown.map(({ card }) => card)].join(
    "",
  );
  const text = context + end;
  return {
    text,
    tokens: counter.count(text),
    sections: [
      { name: "CONTEXT", tokens: counter.count(context) },
      { name: "INSTRUCTION", tokens: counter.count(end) },
    ],
    entries,
    omitted: files.slice(shown.length).map((file) => ({ ...file, reason: "budget" as const })),
    unmatched,
    isMatched: files.some(({ matched }) => matched.length > 0),
  };
}

function referenceLine({ alias, path, sha8 }: RankedFile, isDecided: boolean): string {
  const prefix = alias.slice(0, alias.indexOf("."));
  const isJson = prefix === "S" && path.endsWith(".json");
  const conflicts = prefix === "P" && isDecided ? " (conflicts resolved by ADR)" : "";
  return `${LABELS[prefix] ?? "FILE"}: ${alias}@${sha8}${isJson ? " (json-only)" : ""}${conflicts}\n`;
}
