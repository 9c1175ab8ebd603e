/** `T` with every option set, for example after defaults were filled in. */
export type Complete<T> = { [Key in keyof T]-?: Exclude<T[Key], undefined> };

/** Fills in options that are missing or `undefined`. A plain spread would keep the `undefined`. */
export function withDefaults<T extends object>(
  defaults: Complete<T>,
  options: T = {} as T,
): Complete<T> {
  const setOptions = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...(Object.fromEntries(setOptions) as Partial<Complete<T>>) };
}
