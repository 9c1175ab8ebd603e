/** True for a `Uint8Array` of any realm, since tests and workers may have their own globals. */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    ArrayBuffer.isView(value) &&
    Symbol.toStringTag in value &&
    value[Symbol.toStringTag] === "Uint8Array"
  );
}
