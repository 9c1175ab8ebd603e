import { splitWords, type FusedExplanation } from "@ccl/search";

import type { ResourceRecord } from "../record/resource-record.ts";
import type { RankWeights } from "./rank-weights.ts";

/** The terms of a score that do not depend on words or vectors, each 0..1. */
export interface ScoreTerms {
  recency: number;
  /** Undefined if the text asks for no capability. */
  capability?: number | undefined;
  /** Undefined if the record states no cost. */
  cost?: number | undefined;
}

/** Weighted terms other than words and vectors. An unused term is absent. */
export interface WeighedTerms {
  recency?: number | undefined;
  capability?: number | undefined;
  /** Zero or negative. */
  cost?: number | undefined;
}

/** The parts of a score, weighted. They add up to the score. */
export interface ScoreExplanation extends FusedExplanation, WeighedTerms {
  /** The share of another hit's score, added because its foreign key names this record. */
  neighbour?: number | undefined;
  /** The id of that hit. */
  neighbourOf?: string | undefined;
}

/** Applies the weights to the terms. */
export function weighTerms(
  { recency, capability, cost }: ScoreTerms,
  weights: RankWeights,
): WeighedTerms {
  return {
    recency: weights.recency * recency,
    capability: capability === undefined ? undefined : weights.capability * capability,
    cost: cost === undefined ? undefined : 0 - weights.cost * cost,
  };
}

const dayMs = 86_400_000;
/**
 * Number of steps to which recency is rounded. Finer differences only reflect when records happened to be
 * registered.
 */
const recencySteps = 1000;
/** Latency and egress that cost half of the maximum penalty. */
const halfLatencyMs = 1000;
const halfEgressMb = 10;

/** Returns 1 for now, halved after each half-life. 1 for `fresh:realtime`. 0 if the time cannot be parsed. */
export function recencyOf(record: ResourceRecord, nowMs: number, halfLifeDays: number): number {
  if (record.tags.includes("fresh:realtime")) return 1;
  const updated = Date.parse(record.updated_at);
  if (Number.isNaN(updated)) return 0;
  const ageDays = Math.max(0, nowMs - updated) / dayMs;
  return Math.round(recencySteps * 2 ** (-ageDays / halfLifeDays)) / recencySteps;
}

/** Returns the share of requested capabilities that the record has, or undefined if none is requested. */
export function capabilityOf(
  record: ResourceRecord,
  requested: readonly string[],
): number | undefined {
  if (requested.length === 0) return undefined;
  return (
    requested.filter((capability) => record.cap.includes(capability)).length / requested.length
  );
}

/** Returns the larger of latency and egress, each as x / (x + half), or undefined if the record has neither. */
export function costOf(record: ResourceRecord): number | undefined {
  const { latency_ms_p50: latency, egress_mb: egress } = record.cost_hint ?? {};
  if (latency === undefined && egress === undefined) return undefined;
  return Math.max(saturate(latency, halfLatencyMs), saturate(egress, halfEgressMb));
}

function saturate(value: number | undefined, half: number): number {
  return value !== undefined && value > 0
    ? Number.isFinite(value)
      ? value / (value + half)
      : 1
    : 0;
}

/** Matched exactly, since a stemmer would mistake the noun `orders` for a request to sort. */
const capabilityWords: Readonly<Record<string, string>> = {
  aggregate: `aggregate aggregated average avg mean median sum total totals many maximum minimum grouped per
    сумма сумму суммарный суммарная суммарно итог итого среднее средний средняя количество сколько агрегат максимум минимум`,
  sort: `sort sorted ordered ascending descending highest lowest latest oldest newest top
    сортировать отсортировать отсортируй порядке упорядочить топ последние самые`,
  join: "join joined combine combined соединить объединить объедини",
  window:
    "running cumulative rolling скользящий скользящее накопительный накопительно нарастающий нарастающим",
  write: "write insert upsert delete записать вставить обновить удалить",
  subscribe: "subscribe listen подписаться слушать",
};

let capabilityByWord: Map<string, string> | undefined;

/** Returns capabilities that a task's words imply, in code unit order. */
export function capabilitiesIn(text: string): string[] {
  capabilityByWord ??= new Map(
    Object.entries(capabilityWords).flatMap(([capability, words]) =>
      words.split(/\s+/).map((word): [string, string] => [word, capability]),
    ),
  );
  const found = new Set<string>();
  for (const { whole } of splitWords(text, 500)) {
    const capability = capabilityByWord.get(whole);
    if (capability !== undefined) found.add(capability);
  }
  return [...found].sort();
}
