/** True for a `Uint8Array` of any realm, so that tests and workers with globals of their own are served too. */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    ArrayBuffer.isView(value) &&
    Symbol.toStringTag in value &&
    value[Symbol.toStringTag] === "Uint8Array"
  );
}
