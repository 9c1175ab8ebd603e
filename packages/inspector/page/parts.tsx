import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { moment } from "./format.ts";
import type { Loading } from "./use-view.ts";

/**
 * Shows that a view is loading, or its error. After a failed update, it is shown above the last
 * version.
 */
export function Status({ loading }: { loading: Loading<unknown> }) {
  const { error, isLoading, view, failedAtMs } = loading;
  if (error !== undefined)
    return (
      <p class="note" role="alert">
        {error}
        {view === undefined ? "" : ` The data shown is from before ${moment(failedAtMs)}.`}
      </p>
    );
  return isLoading && view === undefined ? <p class="note">Reading…</p> : null;
}

/** Shows a number with its name. */
export function Figure({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A button that copies a text and confirms it. */
export function CopyButton({
  text,
  label = "Copy",
}: {
  text: string | (() => Promise<string>);
  label?: string;
}) {
  const [state, setState] = useState(label);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      setState("Copied");
    } catch {
      setState("The browser did not allow it");
    }
    setTimeout(() => setState(label), 1500);
  };
  return (
    <button type="button" onClick={copy} aria-live="polite">
      {state}
    </button>
  );
}

/** Shows a share as a bar. The number is beside it. */
export function Bar({ share, tone = "accent" }: { share: number; tone?: string }) {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return (
    <span class="bar" aria-hidden="true">
      <span class={`fill tone-${tone}`} style={{ width }} />
    </span>
  );
}
