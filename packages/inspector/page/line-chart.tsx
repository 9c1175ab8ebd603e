import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

/** A line of a chart. */
interface Line {
  label: string;
  /** The name of a custom property in the style sheet. */
  colour: string;
  values: number[];
  isFilled?: boolean;
}

/** Properties of a chart. */
export interface LineChartProps {
  /** Describes the chart for people who cannot see it. */
  summary: string;
  /** Milliseconds since the epoch if `isTime`, otherwise any numbers. */
  x: number[];
  isTime?: boolean;
  /** The label of the x axis. Default: Prompt. */
  xLabel?: string;
  lines: Line[];
  format: (value: number) => string;
  onSelect?: ((index: number) => void) | undefined;
}

/** Draws lines over time or numbers. Redraws when the size or the colour scheme changes. */
export function LineChart(props: LineChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const { summary } = props;
  const key = JSON.stringify([
    props.x.length,
    props.x.at(-1),
    props.lines.map((line) => line.values.at(-1)),
  ]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let chart: uPlot | undefined;
    const draw = () => {
      chart?.destroy();
      chart = drawChart(element, props);
    };
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const observer = new ResizeObserver(() => chart?.setSize(sizeOf(element)));
    draw();
    scheme.addEventListener("change", draw);
    observer.observe(element);
    return () => {
      scheme.removeEventListener("change", draw);
      observer.disconnect();
      chart?.destroy();
    };
  }, [key]);
  return <div class="chart" role="img" aria-label={summary} ref={place} />;
}

const sizeOf = (element: HTMLElement) => ({ width: element.clientWidth, height: 200 });

/** Whole numbers, because there is nothing between two prompts or rows. */
const wholeSteps = Array.from({ length: 7 }, (_, at) => 10 ** at).flatMap((one) => [
  one,
  2 * one,
  5 * one,
]);

function drawChart(
  element: HTMLElement,
  { x, isTime = false, xLabel = "Prompt", lines, format, onSelect }: LineChartProps,
) {
  const styles = getComputedStyle(element);
  const colour = (name: string) => styles.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: colour("muted"),
    grid: { stroke: colour("line"), width: 1 },
    ticks: { stroke: colour("line"), width: 1 },
  };
  const chart = new uPlot(
    {
      ...sizeOf(element),
      // Starts at 0, so that heights are comparable.
      scales: {
        x: { time: isTime },
        y: { range: (_, min, max) => [Math.min(0, min), max * 1.05 || 1] },
      },
      cursor: { drag: { x: false, y: false } },
      series: [
        { label: isTime ? "Time" : xLabel },
        ...lines.map((line) => ({
          label: line.label,
          stroke: colour(line.colour),
          width: 2,
          points: { show: x.length < 3 },
          value: (_: uPlot, value: number | null) => (value === null ? "" : format(value)),
          ...(line.isFilled === true ? { fill: `${colour(line.colour)}33` } : {}),
        })),
      ],
      axes: [
        isTime ? axis : { ...axis, incrs: wholeSteps },
        { ...axis, size: 64, values: (_, values) => values.map(format) },
      ],
    },
    [isTime ? x.map((one) => one / 1000) : x, ...lines.map((line) => line.values)],
    element,
  );
  chart.over.addEventListener("click", () => {
    const { idx } = chart.cursor;
    if (typeof idx === "number") onSelect?.(idx);
  });
  return chart;
}
