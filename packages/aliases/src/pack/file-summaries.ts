import type { TokenCounter } from "@ccl/core";

import { buildCard } from "../card/build-card.ts";
import { buildOutline } from "../outline/build/build-outline.ts";
import type { DetailedRanking, ReadFile } from "../rank/rank-files.ts";
import type { Pick as PickedPart } from "./choose-lines.ts";
import { isCardKind, type Caps } from "./pack-caps.ts";
import type { PackOptions } from "./pack.ts";

interface CardOptions {
  caps: Caps;
  counter: TokenCounter;
  /** Maximum tokens of all cards combined. */
  room: number;
  signal?: AbortSignal | undefined;
}

/** Builds cards of decisions, option matrices and profiles, best first, within their caps. */
export async function buildCards(
  { read }: Pick<DetailedRanking, "read">,
  { caps, counter, room, signal }: CardOptions,
): Promise<PickedPart[]> {
  const cards: PickedPart[] = [];
  let left = room;
  for (const source of read) {
    if (!isCardKind(source) || source.isFocus) continue;
    const { alias, path } = source.file;
    const { text } = await buildCard({ alias, path, text: source.lines.join("\n") }, { signal });
    const tokens = counter.count(`=== ${path} ${alias}, card\n${text}\n`);
    if (text === "" || tokens > left || !caps.spend(alias, tokens)) continue;
    left -= tokens;
    cards.push({ source, outline: text });
  }
  return cards;
}

const MAX_OVERVIEW_FILES = 60;

/**
 * Builds an overview for a task that matches no words. Declarations without bodies are then more
 * useful than a few random bodies.
 */
export async function buildOverview(
  files: readonly ReadFile[],
  { signal }: Pick<PackOptions, "signal">,
): Promise<PickedPart[]> {
  const picks: PickedPart[] = [];
  for (const source of files.slice(0, MAX_OVERVIEW_FILES)) {
    const outline = await buildOutline(
      { path: source.file.path, text: source.lines.join("\n") },
      { signal },
    );
    const { text, unread } = outline;
    if (text !== "") picks.push({ source, outline: text, unread });
  }
  return picks;
}
