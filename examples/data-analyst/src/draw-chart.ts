import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

/** The content of a chart: two columns of the rows, and their labels. */
export interface Chart {
  label: string;
  value: string;
  /** Includes the unit. */
  valueTitle: string;
}

/** Bars in the order of the rows, as an SVG document. Years run along the bottom, any other column down the side. */
export async function drawChart(
  title: string,
  rows: readonly { label: string; value: number }[],
  { label, value, valueTitle }: Chart,
): Promise<string> {
  const isAlong = label === "year" || label === "age";
  const labels = { field: "label", type: "ordinal", title: label, sort: null } as const;
  const values = { field: "value", type: "quantitative", title: valueTitle } as const;
  const spec: TopLevelSpec = {
    // Split into lines, because a one-line title is cut where the plot ends.
    title: { text: title.match(/.{1,60}(?: |$)/g) ?? [title], anchor: "start", limit: 0 },
    description: `${value} by ${label}`,
    width: 520,
    height: isAlong ? 240 : { step: 28 },
    data: { values: [...rows] },
    mark: { type: "bar", tooltip: false },
    encoding: isAlong ? { x: labels, y: values } : { x: values, y: labels },
    config: { axis: { labelLimit: 240, labelOverlap: true }, background: "white" },
  };
  const view = new View(parse(compile(spec).spec), { renderer: "none" });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
