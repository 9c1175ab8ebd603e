import { systemClock, type Clock } from "./clock.ts";
import { randomBytes } from "./hash/random.ts";

/** Source of ids. The default generates UUIDv7, which sort by time and increase even within a millisecond. */
export interface IdGenerator {
  next(): string;
}

/** Clock and randomness of a UUIDv7 generator. Both default to the machine's own. */
interface UuidV7Options {
  clock?: Clock | undefined;
  /** Returns the given number of random bytes. */
  random?: ((byteCount: number) => Uint8Array) | undefined;
}

const counterLimit = 2 ** 42;
const maxTimestampMs = 2 ** 48 - 1;

/**
 * Generates UUIDv7 (RFC 9562) that always increase as strings. A 42-bit counter, seeded at random
 * each millisecond, precedes 32 random bits (section 6.2, method 1). If the clock stands still or
 * steps back, the last time is reused.
 */
export function createUuidV7Generator(options: UuidV7Options = {}): IdGenerator {
  const { clock = systemClock, random = createRandomPool() } = options;
  // The seed leaves the counter's top bit clear, so that 2^41 ids fit even in the worst case.
  const seed = (): number => wholeOf(random(6)) % (counterLimit / 2);
  let lastMs = 0;
  let counter = seed();
  return {
    next() {
      const nowMs = Math.min(Math.floor(clock.now()), maxTimestampMs);
      counter += 1;
      if (nowMs > lastMs || counter >= counterLimit) {
        lastMs = Math.max(nowMs, lastMs + 1);
        counter = seed();
      }
      return formatUuid(lastMs, counter, random(4));
    },
  };
}

/** Fetches random bytes in bulk, because a call for four costs as much as one for a thousand. */
function createRandomPool(): (byteCount: number) => Uint8Array {
  let pool: Uint8Array = new Uint8Array();
  let used = 0;
  return (byteCount) => {
    if (used + byteCount > pool.length) [pool, used] = [randomBytes(1024), 0];
    return pool.subarray(used, (used += byteCount));
  };
}

const [dash = 0, ...hexDigits] = Array.from("-0123456789abcdef", (sign) => sign.charCodeAt(0));

/**
 * Builds the id as one string, because a concatenated string takes several times the memory for as long as it lives.
 */
function formatUuid(timestampMs: number, counter: number, tail: Uint8Array): string {
  const low = (timestampMs % 2 ** 16) * 2 ** 16 + 0x7000 + counter / 2 ** 30;
  const words = [timestampMs / 2 ** 16, low, 2 ** 31 + (counter % 2 ** 30), wholeOf(tail)];
  const codes: number[] = [];
  for (let digit = 0; digit < 32; digit += 1) {
    if (digit % 4 === 0 && digit >= 8 && digit <= 20) codes.push(dash);
    codes.push(hexDigits[((words[digit >>> 3] ?? 0) >>> (28 - 4 * (digit & 7))) & 15] ?? 0);
  }
  return String.fromCharCode(...codes);
}

/** Reads the bytes as one big-endian number. */
const wholeOf = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum * 256 + byte, 0);
