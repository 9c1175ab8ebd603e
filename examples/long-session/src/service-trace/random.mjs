/** A seeded generator of numbers, picks and codes. It gives the same values on every machine. */
export function createRandom(seed) {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  const int = (low, high) => low + Math.floor(next() * (high - low + 1));
  const pick = (list) => list[int(0, list.length - 1)];
  const digits = (count) =>
    Array.from({ length: count }, () => int(0, 9))
      .join("")
      .replace(/^0/, "4");
  const code = () =>
    Array.from({ length: 6 }, () => pick([..."ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"])).join("");
  return { next, int, pick, digits, code, chance: (share) => next() < share };
}
