import { loadOnce } from "@ccl/core/async";

/** A part of a server, or a function that opens it at its first use. The server answers before it is open. */
export type Source<T extends object> = T | Opener<T>;

/** Returns the same part each time. */
export type Opener<T> = () => Promise<T>;

/** Opens a part once. After a failure, the next use tries again. */
export function openOnce<T extends object>(source: Source<T>): Opener<T> {
  return loadOnce(() => (isOpener(source) ? source() : source));
}

function isOpener<T extends object>(source: Source<T>): source is Opener<T> {
  return typeof source === "function";
}
