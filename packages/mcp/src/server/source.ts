import { loadOnce } from "@ccl/core/async";

/** A part of a server, or a function that opens it on first use. The server responds before the part is open. */
export type Source<T extends object> = T | Opener<T>;

/** Returns the same part every time. */
export type Opener<T> = () => Promise<T>;

/** Opens a part once. If opening fails, the next use tries again. */
export function openOnce<T extends object>(source: Source<T>): Opener<T> {
  return loadOnce(() => (isOpener(source) ? source() : source));
}

function isOpener<T extends object>(source: Source<T>): source is Opener<T> {
  return typeof source === "function";
}
