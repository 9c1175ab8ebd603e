/**
 * The smallest hashes of the content's pieces, in order. If two sketches share many hashes, their contents share many
 * pieces.
 */
export type ContentSketch = readonly number[];

const sketchSize = 64;
/** Minimum length of a piece. Shorter ones, such as a closing brace, carry no information. */
const minPieceChars = 4;

/**
 * Sketches content by its lines, or JSON without line breaks by its objects. Takes time linear in
 * the content.
 */
export function sketchContent(content: string): ContentSketch {
  const smallest = new Set<number>();
  let limit = Infinity;
  let hash = startHash;
  let length = 0;
  for (let at = 0; at <= content.length; at += 1) {
    const code = at < content.length ? content.charCodeAt(at) : lineFeed;
    if (code !== lineFeed && !(code === closingBrace && content.charCodeAt(at + 1) === comma)) {
      hash = Math.imul(hash ^ code, 0x01000193);
      length += 1;
      continue;
    }
    const value = spread(hash);
    hash = startHash;
    const isShort = length < minPieceChars;
    length = 0;
    if (isShort || value >= limit) continue;
    smallest.add(value);
    if (smallest.size >= sketchSize * 4) limit = keepSmallest(smallest);
  }
  keepSmallest(smallest);
  return [...smallest];
}

/** Returns the approximate share of pieces that two sketched contents have in common, 0..1. */
export function sketchSimilarity(sketch: ContentSketch, other: ContentSketch): number {
  const size = Math.min(sketchSize, Math.max(sketch.length, other.length));
  let shared = 0;
  let [at, place] = [0, 0];
  for (let seen = 0; seen < size; seen += 1) {
    const [own = Infinity, theirs = Infinity] = [sketch[at], other[place]];
    if (own === theirs && own !== Infinity) shared += 1;
    if (own <= theirs) at += 1;
    if (theirs <= own) place += 1;
  }
  return size === 0 ? 0 : shared / size;
}

const lineFeed = 10;
const comma = 44;
const closingBrace = 125;
const startHash = 0x811c9dc5;

/**
 * Spreads hashes with the finalizer of MurmurHash 3, because FNV ends with similar hashes for
 * similar pieces.
 */
function spread(hash: number): number {
  let value = hash;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Reduces a set to its smallest hashes in order. Returns the largest of them once there are enough. */
function keepSmallest(hashes: Set<number>): number {
  const minima = [...hashes].sort((a, b) => a - b).slice(0, sketchSize);
  hashes.clear();
  for (const hash of minima) hashes.add(hash);
  return minima.length < sketchSize ? Infinity : (minima.at(-1) ?? Infinity);
}
