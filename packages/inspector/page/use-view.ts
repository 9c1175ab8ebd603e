import { useEffect, useState } from "preact/hooks";

import type { InspectorViews, ViewName } from "../src/views.ts";

/**
 * A view while it loads. The last version stays until the next one arrives, even after a failure.
 */
export interface Loading<View> {
  view?: View | undefined;
  error?: string | undefined;
  /** The time since which reads have failed. */
  failedAtMs?: number | undefined;
  isLoading: boolean;
}

type Parameters = Record<string, string | number | undefined>;

/** Options for reading a view. */
interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** The ETag of the known version. The server sends the view only if it differs. */
  tag?: string | undefined;
}

const everyMs = 1_000;

/** The views of an exported page, by URL. */
const data = document.querySelector("#views")?.textContent;
const exported = data == null ? undefined : JSON.parse(data);
const notExported =
  "This is not in the file. For the full texts of a prompt, export again: ccl ui --export page.html session=... at=...";

/** The URL of a view's data, independent of the order of its parameters. */
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

/** Reads a view. Undefined if it still matches the tag. */
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
 * Reads a view now and whenever its parameters change. A live view is read every second while the page is visible.
 * Unchanged data is not sent again. Reads nothing while `name` is undefined.
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
