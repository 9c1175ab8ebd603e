/** Maps with more files than this are built in steps of this size. */
const FIRST_STEP = 256;

/**
 * Renders a project's paths, one folder per line with its file names: `src/core: hash.ts text.ts
 * +3`. Takes as many paths from the start as `fits` allows, and counts the rest. Returns undefined
 * if not even one file fits.
 */
export function renderMap(
  paths: readonly string[],
  fits: (text: string, shown: number) => boolean,
): string | undefined {
  let shown = 0;
  for (
    let step = Math.min(paths.length, FIRST_STEP);
    step >= 1;
    step = step === 1 ? 0 : Math.ceil(step / 2)
  ) {
    while (shown + step <= paths.length && fits(renderPaths(paths, shown + step), shown + step))
      shown += step;
  }
  return shown === 0 ? undefined : renderPaths(paths, shown);
}

function renderPaths(paths: readonly string[], shown: number): string {
  const folders = new Map<string, { names: string[]; more: number }>();
  let hidden = 0;
  for (const [at, path] of paths.entries()) {
    const slash = path.lastIndexOf("/");
    const folder = printablePath(slash < 0 ? "." : path.slice(0, slash));
    let entry = folders.get(folder);
    if (at < shown) {
      if (entry === undefined) folders.set(folder, (entry = { names: [], more: 0 }));
      entry.names.push(printablePath(path.slice(slash + 1)));
    } else if (entry === undefined) hidden += 1;
    else entry.more += 1;
  }
  const lines = [...folders]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, { names, more }]) => {
      const rest = more === 0 ? [] : [`+${more}`];
      return `${folder}: ${[...names.sort(), ...rest].join(" ")}`;
    });
  return [...lines, ...(hidden === 0 ? [] : [`... +${hidden} files in other folders`])].join("\n");
}

/** Returns a path on one line. Writes it as JSON if it contains characters that could end a header. */
export function printablePath(path: string): string {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(path) ? JSON.stringify(path) : path;
}
