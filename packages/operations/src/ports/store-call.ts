/** The last parameter of every store method. */
export interface StoreCall {
  signal?: AbortSignal | undefined;
}
