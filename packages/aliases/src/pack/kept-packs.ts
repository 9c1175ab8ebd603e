import { hash } from "node:crypto";

import type { AliasStat, DerivedCache } from "../registry/alias-registry.ts";
import type { Pack, PackOmission, PackOptions } from "./pack.ts";

/** Earlier packs of one tree, by what they were asked for. */
export interface KeptPacks {
  recall(): Pack | undefined;
  keep(pack: Pack): void;
}

/** What a pack depends on, the code apart. */
export interface PackInput {
  options: PackOptions;
  /** Of the counter. */
  counter: { name: string; isExact: boolean };
  stats: AliasStat[];
}

const KIND = "pack";
const REASONS: PackOmission["reason"][] = ["budget", "cap", "binary", "unreadable", "empty"];

/** A pack, with the thousands of files that it leaves out by their places in the list of all. */
type KeptPack = Omit<Pack, "omitted"> & { omitted: number[] };

/** Finds and keeps the pack of exactly this input. */
export function createKeptPacks(cache: DerivedCache, input: PackInput): KeptPacks {
  const key = keyOf(input);
  const { stats } = input;
  return {
    recall() {
      const text = cache.get(KIND, key);
      if (text === undefined) return undefined;
      const kept: KeptPack = JSON.parse(text);
      return { ...kept, omitted: kept.omitted.map((code) => readOmission(code, stats)) };
    },
    keep(pack) {
      const places = new Map(stats.map(({ alias }, place) => [alias, place]));
      const omitted = pack.omitted.map(
        ({ alias, reason }) => (places.get(alias) ?? 0) * REASONS.length + REASONS.indexOf(reason),
      );
      cache.set(KIND, key, JSON.stringify({ ...pack, omitted } satisfies KeptPack));
    },
  };
}

function readOmission(code: number, stats: AliasStat[]): PackOmission {
  const { alias = "", path = "" } = stats[Math.floor(code / REASONS.length)] ?? {};
  return { alias, path, reason: REASONS[code % REASONS.length] ?? "budget" };
}

/** Every file's name and content, and all options that shape the text. */
function keyOf({ options, counter, stats }: PackInput): string {
  const { task, budget, caps, safetyMargin, profile, vocabulary, focus, base, version } = options;
  const { name, isExact } = counter;
  const shape = [
    task,
    String(budget),
    caps,
    safetyMargin,
    profile,
    vocabulary,
    focus,
    base,
    version,
    name,
    isExact,
  ];
  const files = stats.map(
    ({ alias, path, sha256 = "", isBinary }) =>
      `${alias}\0${path}\0${sha256}${isBinary ? "b" : ""}`,
  );
  return hash("sha256", `${JSON.stringify(shape)}\n${files.join("\n")}`);
}
