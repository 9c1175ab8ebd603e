import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { moveByArrows } from "./move-by-arrows.ts";

/** A rectangle of the map. */
export interface TreemapLeaf {
  id: string;
  label: string;
  /** The label. */
  name: string;
  /** The share that was sent, from 0 to 1. The rest is drawn dashed. */
  kept: number;
  /** The group, which also determines the colour. */
  group: string;
  value: number;
  /** True to draw it lighter. */
  isFaint: boolean;
  mark?: string | undefined;
  /** True for the area of all remaining small leaves, which cannot be selected. */
  isRest?: boolean | undefined;
}

interface Node {
  leaf?: TreemapLeaf;
  children?: Node[];
}

const height = 300;
/** Further leaves of a group share one area, because a page with thousands of buttons is slow. */
const maxLeaves = 300;

/** Shows sizes as areas. The map is a single tab stop, and the arrow keys move between areas. */
export function Treemap({
  leaves,
  selected,
  onSelect,
}: {
  leaves: readonly TreemapLeaf[];
  selected: string | undefined;
  onSelect: (id: string) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const rectangles = width === 0 ? [] : layOut(leaves, width);
  const focused = rectangles.some(({ leaf }) => leaf.id === selected)
    ? selected
    : rectangles.find(({ leaf }) => leaf.isRest !== true)?.leaf.id;
  return (
    <div
      class="treemap"
      role="group"
      aria-label="Parts of the prompt by size; arrow keys move"
      ref={place}
      style={{ height: `${height}px` }}
      onKeyDown={moveByArrows}
    >
      {rectangles.map(({ leaf, x, y, w, h }) => (
        <button
          type="button"
          key={`${leaf.id} ${leaf.group}`}
          class={`leaf origin-${leaf.group}${leaf.isFaint ? " faint" : ""}${leaf.kept < 1 ? " cut" : ""}`}
          disabled={leaf.isRest === true}
          tabIndex={leaf.id === focused ? 0 : -1}
          aria-pressed={leaf.id === selected}
          aria-label={leaf.label}
          title={leaf.label}
          style={{
            left: `${x}px`,
            top: `${y}px`,
            width: `${w}px`,
            height: `${h}px`,
            "--kept": leaf.kept,
          }}
          onClick={() => onSelect(leaf.id)}
        >
          {w > 60 && h > 18 ? <span>{leaf.name}</span> : null}
          {leaf.mark !== undefined && w > 14 && h > 14 ? <i>{leaf.mark}</i> : null}
        </button>
      ))}
    </div>
  );
}

function layOut(leaves: readonly TreemapLeaf[], width: number) {
  const groups = new Map<string, Node[]>();
  for (const leaf of withoutSmallest(leaves)) {
    const group = groups.get(leaf.group) ?? [];
    groups.set(leaf.group, group);
    group.push({ leaf });
  }
  const root: Node = { children: [...groups.values()].map((children) => ({ children })) };
  const tree = hierarchy(root).sum(({ leaf }) => leaf?.value ?? 0);
  const placed = treemap<Node>()
    .tile(treemapSquarify)
    .size([width, height])
    .paddingInner(1)
    .round(true)(tree);
  return placed.leaves().flatMap(({ data, x0, x1, y0, y1 }) => {
    const isSeen = data.leaf !== undefined && x1 - x0 >= 2 && y1 - y0 >= 2;
    return isSeen && data.leaf !== undefined
      ? [{ leaf: data.leaf, x: x0, y: y0, w: x1 - x0, h: y1 - y0 }]
      : [];
  });
}

function withoutSmallest(leaves: readonly TreemapLeaf[]): readonly TreemapLeaf[] {
  if (leaves.length <= maxLeaves) return leaves;
  const bySize = leaves.toSorted((a, b) => b.value - a.value);
  const rests = new Map<string, TreemapLeaf[]>();
  for (const leaf of bySize.slice(maxLeaves))
    rests.set(leaf.group, [...(rests.get(leaf.group) ?? []), leaf]);
  const large = new Set(bySize.slice(0, maxLeaves));
  return [
    ...leaves.filter((leaf) => large.has(leaf)),
    ...[...rests].map(([group, rest]) => {
      const name = `${rest.length} smaller parts`;
      const value = rest.reduce((sum, one) => sum + one.value, 0);
      return { id: "", label: name, name, group, value, kept: 1, isFaint: true, isRest: true };
    }),
  ];
}
