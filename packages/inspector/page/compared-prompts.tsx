import { useState } from "preact/hooks";

import type { ComparedPair, ComparedView, PromptPart, PromptView } from "../src/views.ts";
import { Diff } from "./diff.tsx";
import { labelOf } from "./part-names.ts";
import { count, money, visible } from "./format.ts";
import { Figure, Status } from "./parts.tsx";
import { useView } from "./use-view.ts";

const changes: Record<ComparedPair["change"], string> = {
  same: "the same",
  changed: "changed",
  removed: "removed",
  added: "added",
  moved: "moved",
  unknown: "not known",
};

/** Compares the shown prompt with another one of the same or another session. */
export function ComparedPrompts({
  view,
  with: at,
  other,
}: {
  view: PromptView;
  with: number;
  other: string | undefined;
}) {
  const loading = useView("compared", {
    session: view.session.id,
    at: view.prompt.at,
    with: at,
    other,
  });
  const compared = loading.view;
  const partner = useView("prompt", { session: other ?? view.session.id, at });
  if (compared === undefined) return <Status loading={loading} />;
  const [first, second] = [view.parts, partner.view?.parts];
  const counts = new Map<string, number>();
  for (const { change } of compared.pairs) counts.set(change, (counts.get(change) ?? 0) + 1);
  return (
    <section aria-label="Compared prompts">
      <Status loading={loading} />
      <dl class="figures">
        {Object.entries(changes).map(([change, name]) =>
          counts.has(change) ? (
            <Figure key={change} name={`Parts: ${name}`}>
              {count(counts.get(change) ?? 0)}
            </Figure>
          ) : null,
        )}
      </dl>
      {counts.has("unknown") ? (
        <p class="note">
          Parts without recorded texts cannot be compared. <code>ccl proxy --record</code>, or{" "}
          <code>recordTo</code> with <code>texts</code>, records the texts.
        </p>
      ) : null}
      <Break compared={compared} parts={second ?? []} />
      <ol class="parts compared">
        {foldedPairs(compared.pairs).map((group) => (
          <Group key={placesOf(group)} group={group} first={first ?? []} second={second ?? []} />
        ))}
      </ol>
    </section>
  );
}

/** Shows where the cached prefix ends and what that costs. */
function Break({
  compared: { break: broken },
  parts,
}: {
  compared: ComparedView;
  parts: readonly PromptPart[];
}) {
  if (broken === undefined)
    return (
      <p>
        The second prompt extends the first or is a prefix of it, so the provider can use its cache.
      </p>
    );
  const part = parts[broken.second];
  const place =
    broken.byte === undefined
      ? `in part ${broken.second + 1}`
      : `at byte ${count(broken.byte)} of part ${broken.second + 1}`;
  const { keptTokens, lostTokens, usd } = broken;
  return (
    <p>
      {broken.isKnown ? "The provider's cache ends" : "The provider's cache may end"} {place}
      {part === undefined ? "" : ` (${labelOf(part)})`}. Before it stand {count(keptTokens)} tokens.
      The {count(lostTokens)} tokens of the first that follow are of no more use
      {usd === undefined ? "" : `: about ${money(usd)} at list prices`}.
    </p>
  );
}

/** Groups consecutive equal parts. */
function foldedPairs(pairs: readonly ComparedPair[]): ComparedPair[][] {
  const groups: ComparedPair[][] = [];
  for (const pair of pairs) {
    const last = groups.at(-1);
    if (pair.change === "same" && last?.[0]?.change === "same") last.push(pair);
    else groups.push([pair]);
  }
  return groups;
}

function placesOf([pair]: readonly ComparedPair[]): string {
  return `${pair?.first}-${pair?.second}`;
}

interface Sides {
  first: readonly PromptPart[];
  second: readonly PromptPart[];
}

function Group({ group, first, second }: { group: readonly ComparedPair[] } & Sides) {
  const [isOpen, setOpen] = useState(group.length < 2);
  const rows = (isOpen ? group : []).map((pair) => (
    <Pair key={placesOf([pair])} pair={pair} first={first} second={second} />
  ));
  if (group.length < 2) return <li>{rows}</li>;
  const tokens = group.reduce((sum, pair) => sum + (second[pair.second ?? -1]?.tokens ?? 0), 0);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {count(group.length)} parts are the same, {count(tokens)} tokens
        </summary>
        {rows}
      </details>
    </li>
  );
}

function Pair({ pair, first, second }: { pair: ComparedPair } & Sides) {
  const [a, b] = [first[pair.first ?? -1], second[pair.second ?? -1]];
  const part = b ?? a;
  if (part === undefined) return null;
  const place = [pair.first, pair.second]
    .map((at) => (at === undefined ? "–" : at + 1))
    .join(" → ");
  const sizes = a !== undefined && b !== undefined && a.tokens !== b.tokens;
  return (
    <div class={pair.change === "same" ? "pair faint" : "pair"}>
      <span class={`badge change-${pair.change}`}>{changes[pair.change]}</span>{" "}
      <span class="muted">part {place}</span>{" "}
      <span class={`swatch origin-${part.origin}`} aria-hidden="true" /> {labelOf(part)}
      {sizes ? `, before ${count(a.tokens)}` : ""}
      {a?.form === b?.form ? "" : `, ${a?.form ?? "whole"} → ${b?.form ?? "whole"}`}
      {pair.diff === undefined ? (
        <div class="muted clip">{visible(part.preview ?? "").slice(0, 140)}</div>
      ) : (
        <Diff text={pair.diff} />
      )}
      {pair.change === "changed" && pair.diff === undefined && part.preview !== undefined ? (
        <div class="note">It differs in too many lines to be shown here; read both texts.</div>
      ) : null}
    </div>
  );
}
