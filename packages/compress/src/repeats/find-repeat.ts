import { unwrapText } from "../json/find-json.ts";
import { type ContentKind, identify, type IdentifiedText } from "../kinds/identify.ts";
import { layoutOf } from "../kinds/layout-of.ts";
import { lineUnits, listUnits, type Unit } from "../unit.ts";
import { diffUnits } from "./diff-units.ts";
import { type ContentSketch, sketchContent, sketchSimilarity } from "./sketch-content.ts";

/** Content that the reader has already seen. */
export interface KnownContent {
  content: string;
  /**
   * The name that the reader has for it, such as `artifact 0123456789ab` or `the result of call_7`.
   */
  name: string;
}

/** New content expressed by reference to known content. */
interface ContentRepeat {
  /**
   * One line if nothing changed. Otherwise the differing lines or rows with their numbers in the
   * new content: `-` known, `+` new.
   */
  text: string;
  /** The known content that the text refers to. */
  known: KnownContent;
  isSame: boolean;
}

/** Number of known items to compare, newest first. */
const maxKnown = 64;
const similarEnough = 0.4;
const largestRatio = 2;

/**
 * Expresses the content as a reference to known content with the same meaning, or as its
 * differences from the nearest one. Undefined if nothing known is similar. `known` is oldest first.
 * Takes time linear in the content.
 */
export function findRepeat(
  content: string,
  known: readonly KnownContent[],
  kind?: ContentKind,
): ContentRepeat | undefined {
  const recent = known.slice(-maxKnown).toReversed();
  const same = recent.find((other) => other.content === content);
  if (same !== undefined) return { text: `[The same as ${same.name}.]`, known: same, isSame: true };
  const like = nearestTo(content, recent);
  if (like === undefined) return undefined;
  const [before, after] = [unitsOf(like.content, kind), unitsOf(content, kind)];
  if (before.noun !== after.noun) return undefined;
  const changes = diffUnits(before.units, after.units);
  if (changes === undefined) return undefined;
  const text =
    changes.count === 0
      ? `[The same as ${like.name}, but for blanks.]`
      : `[As ${like.name}, but for ${changes.count} ${after.noun}; - there, + here:]\n${changes.text}`;
  return { text, known: like, isSame: false };
}

const sketches = new WeakMap<KnownContent, ContentSketch>();

function nearestTo(content: string, recent: readonly KnownContent[]): KnownContent | undefined {
  const candidates = recent.filter(({ content: { length } }) => {
    const [short, long] = [Math.min(length, content.length), Math.max(length, content.length)];
    return long <= short * largestRatio;
  });
  if (candidates.length === 0) return undefined;
  const contentSketch = sketchContent(content);
  let best: { known: KnownContent; similarity: number } | undefined;
  for (const known of candidates) {
    const sketch = sketches.get(known) ?? sketchContent(known.content);
    sketches.set(known, sketch);
    const similarity = sketchSimilarity(contentSketch, sketch);
    if (similarity >= similarEnough && similarity > (best?.similarity ?? 0))
      best = { known, similarity };
  }
  return best?.known;
}

/**
 * Returns the rows of JSON and tables, so that a single row can differ in one long line. Otherwise
 * lines.
 */
function unitsOf(
  content: string,
  knownKind: ContentKind | undefined,
): { units: readonly Unit[]; noun: "lines" | "rows" } {
  const text = unwrapText(content);
  const { kind, json }: IdentifiedText =
    knownKind === undefined ? identify(text) : { kind: knownKind };
  const layout =
    kind === "json" || kind === "delimited"
      ? layoutOf(text, kind, { columns: "all", json })
      : undefined;
  if (layout?.noun === "rows") return { units: listUnits(layout.units), noun: "rows" };
  const lines = content.replace(/\n$/, "").split("\n");
  return { units: lineUnits(lines), noun: "lines" };
}
