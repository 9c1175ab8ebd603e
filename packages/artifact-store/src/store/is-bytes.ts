/** True for a `Uint8Array` of any realm, so that tests and workers with globals of their own are served too. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]";
}
