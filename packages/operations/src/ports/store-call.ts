/** The last parameter of every call of a port. */
export interface StoreCall {
  signal?: AbortSignal | undefined;
}
