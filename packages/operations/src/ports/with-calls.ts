/** Wraps a store so that its methods are called through `call`. Its other members are unchanged. */
export function withCalls<Store extends object>(
  store: Store,
  call: (method: string, run: () => Promise<unknown>) => Promise<unknown>,
): Store {
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      return (...parameters: unknown[]): Promise<unknown> =>
        call(String(key), async () => Reflect.apply(member, target, parameters));
    },
  });
}
