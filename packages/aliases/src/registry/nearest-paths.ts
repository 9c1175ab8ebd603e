import { compareCodeUnits } from "@ccl/core";
import { typingDistance } from "./nearest-names.ts";

const MAX_PATHS = 3;
const MAX_SEGMENTS = 12;
const LONGEST_SEGMENT = 60;
/** The file's name counts as much as this many folders. */
const NAME_WEIGHT = 3;
/** Minimum share of a perfect score for suggesting a path. */
const MIN_SHARE = 0.45;

/** Returns up to 3 paths with similar segments, best first. A wrong folder costs little, a wrong name a lot. */
export function nearestPaths(query: string, paths: readonly string[]): string[] {
  const segments = segmentsOf(query);
  const name = segments.pop() ?? "";
  const perfect = NAME_WEIGHT + segments.length;
  return paths
    .map((path) => {
      const folders = segmentsOf(path);
      const fileName = folders.pop() ?? "";
      const shared = segments.reduce((sum, folder) => {
        const best = folders.reduce((high, other) => Math.max(high, likeness(folder, other)), 0);
        return sum + best;
      }, 0);
      // Of two paths with the same matching segments, the one with fewer other segments is nearer.
      const others = Math.max(0, folders.length - segments.length) * 0.05;
      return { path, score: NAME_WEIGHT * likeness(name, fileName) + shared - others };
    })
    .filter(({ score }) => score >= MIN_SHARE * perfect)
    .sort((a, b) => b.score - a.score || compareCodeUnits(a.path, b.path))
    .slice(0, MAX_PATHS)
    .map(({ path }) => path);
}

function segmentsOf(path: string): string[] {
  return path.toLowerCase().split("/").filter(Boolean).slice(-MAX_SEGMENTS);
}

/** Returns 1 for equal segments, and 0 if over a third of the letters are wrong. Extensions count little. */
function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const [stem, other] = [stemOf(a), stemOf(b)];
  if (stem === other) return 0.9;
  const limit = Math.floor(Math.max(stem.length, other.length) / 3);
  const distance = typingDistance(stem, other, limit);
  return distance > limit ? 0 : 0.8 * (1 - distance / (limit + 1));
}

function stemOf(segment: string): string {
  return segment.slice(0, LONGEST_SEGMENT).replace(/(?<=.)\.[\w.]+$/, "");
}
