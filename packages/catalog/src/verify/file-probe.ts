import { fromFiles, type FromFilesOptions } from "../importers/from-files.ts";
import { decodeAddressName, resourceUri } from "../importers/resource-address.ts";
import type { ProbeAnswer, ResourceProbe } from "./resource-probe.ts";

/** How files are found and read. */
export interface FileProbeOptions {
  /** What is at a path; undefined where nothing is. Paths are those of the uris, decoded: resolve them inside a root of yours. */
  stat: (
    path: string,
    options: { signal: AbortSignal },
  ) => Promise<{ sizeBytes: number } | undefined>;
  /** The file, or its beginning; without it columns are not compared. */
  read?: ((path: string, options: { signal: AbortSignal }) => Promise<Uint8Array>) | undefined;
  /** As the file was imported with. */
  import?: FromFilesOptions | undefined;
}

const ownPrefix = `${resourceUri("file")}/`;

/** Looks for the files of `ada://any/file/...` and `file://...` uris, and compares columns with what they hold. */
export function fileProbe({ stat, read, import: options = {} }: FileProbeOptions): ResourceProbe {
  return {
    name: "file",
    handles: ({ uri }) => pathOf(uri) !== undefined,
    begin: () => ({
      async probe({ uri }, { signal }): Promise<ProbeAnswer> {
        const path = pathOf(uri) ?? "";
        const found = await stat(path, { signal });
        if (found === undefined) return { state: "missing", reason: "There is no such file" };
        if (read === undefined) return { state: "available" };
        const bytes = await read(path, { signal });
        const result = fromFiles([{ name: path, bytes, sizeBytes: found.sizeBytes }], options);
        if (!result.ok)
          return { state: "unreachable", reason: result.issues[0]?.message ?? "It can't be read" };
        const [file] = result.value;
        return {
          state: "available",
          columns: file?.columns === undefined ? undefined : file.columns,
          shape: file?.shape === undefined ? undefined : file.shape,
        };
      },
    }),
  };
}

function pathOf(uri: string | undefined): string | undefined {
  if (uri?.startsWith(ownPrefix) === true) {
    return uri.slice(ownPrefix.length).split("/").map(decodeAddressName).join("/");
  }
  if (uri === undefined || !/^file:\/\//i.test(uri) || !URL.canParse(uri)) return undefined;
  return decodeAddressName(new URL(uri).pathname);
}
