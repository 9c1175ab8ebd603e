import { useEffect, useState } from "preact/hooks";

import type { InspectorViews, ViewName } from "../src/views.ts";

/** A view as it arrives. While the next one is on its way, and when it can't be read, the last one stays. */
export interface Loading<View> {
  view?: View | undefined;
  error?: string | undefined;
  /** Since when it can't be read. */
  failedAtMs?: number | undefined;
  isLoading: boolean;
}

type Parameters = Record<string, string | number | undefined>;

/** How a view is read. */
interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** The tag of the view that is known; without one, or when another is there, the view comes. */
  tag?: string | undefined;
}

const everyMs = 1_000;

/** The views of a page that was exported, by their addresses. */
const data = document.querySelector("#views")?.textContent;
const exported = data == null ? undefined : JSON.parse(data);
const notExported =
  "This is not in the file. For the whole texts of a prompt export again: ccl ui --export page.html session=... at=...";

/** The address of a view's data, whatever the order of its parameters. */
function addressOf(name: ViewName, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1)))
    if (value !== undefined) query.set(key, String(value));
  return `/api/${name}?${query}`;
}

/** Reads a view once. */
export async function fetchView<Name extends ViewName>(
  name: Name,
  parameters: Parameters,
): Promise<InspectorViews[Name]> {
  const { view } = await readView(name, parameters, {});
  if (view === undefined) throw new Error("It can't be read.");
  return view;
}

/** Reads a view; none comes where it is still the one of the tag. */
async function readView<Name extends ViewName>(
  name: Name,
  parameters: Parameters,
  { signal, tag = "" }: ReadOptions,
): Promise<{ view?: InspectorViews[Name]; tag?: string | undefined }> {
  if (exported !== undefined) {
    const found = exported[addressOf(name, parameters).slice("/api/".length)];
    if (found === undefined) throw new Error(notExported);
    if (found.error !== undefined) throw new Error(found.error.message);
    return { view: found };
  }
  const headers = tag === "" ? {} : { "if-none-match": tag };
  const answer = await fetch(addressOf(name, parameters), { headers, signal: signal ?? null });
  if (answer.status === 304) return { tag };
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error?.message ?? "It can't be read.");
  return { view: body, tag: answer.headers.get("etag") ?? undefined };
}

/**
 * Reads a view now and whenever its parameters change, and where it is live every second while the page is seen. What is
 * the same as before is not sent again. Reads nothing while `name` is undefined.
 */
export function useView<Name extends ViewName>(
  name: Name | undefined,
  parameters: Parameters = {},
  isLive = false,
): Loading<InspectorViews[Name]> {
  const [loading, setLoading] = useState<Loading<InspectorViews[Name]>>({ isLoading: true });
  const key = JSON.stringify(parameters);
  useEffect(() => {
    if (name === undefined) return setLoading({ isLoading: false });
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let tag: string | undefined;
    const read = async () => {
      try {
        const found = document.hidden && tag !== undefined ? { tag } : await readNow();
        tag = found.tag;
        if (signal.aborted) return;
        setLoading((last) => {
          const view = found.view ?? last.view;
          const isSame = view === last.view && last.error === undefined && !last.isLoading;
          return isSame ? last : { view, isLoading: false };
        });
      } catch (error) {
        if (signal.aborted) return;
        const message =
          error instanceof TypeError
            ? "The program that serves this page does not answer."
            : String(error instanceof Error ? error.message : error);
        setLoading(({ view, failedAtMs = Date.now() }) => ({
          view,
          failedAtMs,
          error: message,
          isLoading: false,
        }));
      }
      if (isLive && exported === undefined) timer = setTimeout(read, everyMs);
    };
    const readNow = () => readView(name, JSON.parse(key), { signal, tag });
    setLoading(({ view }) => ({ view, isLoading: true }));
    void read();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [name, key, isLive]);
  return loading;
}
