import { parseJson } from "@ccl/core/json";
import * as z from "zod";

import { CatalogError } from "../catalog-error.ts";
import { type CatalogSource, kinds } from "./sources-file.ts";

const sourcesSchema = z.object({
  version: z.literal(1),
  sources: z.array(
    z.object({
      kind: z.enum(kinds),
      name: z.string(),
      location: z.string(),
      schemas: z.array(z.string()).optional(),
      sampleRows: z.number().optional(),
      tokenVariable: z.string().optional(),
    }),
  ),
});

/**
 * Parses the output of `formatSources`.
 * @throws CatalogError `damaged` if the text did not come from `formatSources`
 */
export function parseSources(text: string): CatalogSource[] {
  const read = sourcesSchema.safeParse(parseJson(text));
  if (read.success) return read.data.sources;
  const [issue] = read.error.issues;
  const place = issue?.path.join(".") || "the whole";
  const message = `sources.json of the catalog is not { "version": 1, "sources": [...] }: ${place}: ${issue?.message}`;
  throw new CatalogError("damaged", message);
}
