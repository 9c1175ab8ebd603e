import { useEffect, useState } from "preact/hooks";

import type { InspectorViews, ViewName } from "../src/views.ts";

/** A view as it arrives. While the next one is on its way, and when it can't be read, the last one stays. */
export interface Loading<View> {
  view?: View | undefined;
  error?: string | undefined;
  /** When the view that stays was read. */
  readAtMs?: number | undefined;
  isLoading: boolean;
}

type Parameters = Record<string, string | number | undefined>;

/** Reads a view once. */
export async function fetchView<Name extends ViewName>(
  name: Name,
  parameters: Parameters,
  signal?: AbortSignal,
): Promise<InspectorViews[Name]> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters))
    if (value !== undefined) query.set(key, String(value));
  const answer = await fetch(`/api/${name}?${query}`, signal === undefined ? {} : { signal });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error?.message ?? "It can't be read.");
  return body;
}

/** Reads a view now, whenever its parameters change, and every `everyMs` where given; nothing while `name` is undefined. */
export function useView<Name extends ViewName>(
  name: Name | undefined,
  parameters: Parameters = {},
  everyMs?: number,
): Loading<InspectorViews[Name]> {
  const [loading, setLoading] = useState<Loading<InspectorViews[Name]>>({ isLoading: true });
  const key = JSON.stringify(parameters);
  useEffect(() => {
    if (name === undefined) return setLoading({ isLoading: false });
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        const view = await fetchView(name, JSON.parse(key), controller.signal);
        setLoading({ view, isLoading: false, readAtMs: Date.now() });
      } catch (error) {
        if (controller.signal.aborted) return;
        const message = error instanceof Error ? error.message : "";
        setLoading(({ view, readAtMs }) => ({ view, readAtMs, error: message, isLoading: false }));
      }
      if (everyMs !== undefined) timer = setTimeout(read, everyMs);
    };
    setLoading(({ view, readAtMs }) => ({ view, readAtMs, isLoading: true }));
    void read();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [name, key, everyMs]);
  return loading;
}
