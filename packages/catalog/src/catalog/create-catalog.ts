import { requireWhole } from "../require-whole.ts";
import { throwIfAborted } from "@ccl/core/async";
import { estimatedCounter, systemClock } from "@ccl/core";
import { createMemoryRecords } from "@ccl/records";

import { CatalogError } from "../catalog-error.ts";
import { drillDown } from "./drill-down.ts";
import { createMemorySearchIndex } from "../search/create-memory-search-index.ts";
import { requireIds } from "./call-options.ts";
import type { Catalog, CatalogOptions } from "./catalog.ts";
import type { CatalogContext } from "./catalog-context.ts";
import { createCatalogReader } from "./create-catalog-reader.ts";
import { historyOf } from "./history-of.ts";
import { registerResources, removeResources, type RegisterContext } from "./register-resources.ts";
import { ResidentRecords } from "./resident-records.ts";
import { createVectorSource } from "./vector-source.ts";
import { createVisibleSets } from "./visible-set.ts";

/** Creates a catalog over records and an index, both in memory by default. Nothing is read before the first call. */
export function createCatalog(options: CatalogOptions = {}): Catalog {
  const { context, writing } = createParts(options);
  return {
    ...createCatalogReader(context),
    register: (resources, { signal } = {}) => registerResources(resources, { ...writing, signal }),
    async remove(ids, { signal } = {}) {
      requireIds("ids", ids);
      return removeResources(ids, { ...writing, signal });
    },
    drillDown: (request) => drillDown(request, context),
    async history(id, query = {}) {
      const visible = await context.look(query.principal, query.signal);
      return historyOf(id, query, { visible, records: writing.records });
    },
  };
}

function createParts(options: CatalogOptions): {
  context: CatalogContext;
  writing: RegisterContext;
} {
  const {
    records = createMemoryRecords(),
    index = createMemorySearchIndex(),
    embedder,
    access,
  } = options;
  const { clock = systemClock, embedTimeoutMs = 10_000, weights } = options;
  requireWhole("embedTimeoutMs", embedTimeoutMs, [1, 3_600_000]);
  if (access !== undefined && (typeof access.roles !== "object" || access.roles === null)) {
    throw new CatalogError("invalid_options", "access.roles is an object of rights by role.");
  }
  const vectors =
    embedder === undefined
      ? undefined
      : createVectorSource({ embedder, records, timeoutMs: embedTimeoutMs, clock });
  const resident = new ResidentRecords({ records, index, vectors, access });
  const visibleSets = createVisibleSets(resident, access);
  const context: CatalogContext = {
    counter: options.counter ?? estimatedCounter,
    access,
    fillVectors: async (signal) => void (await resident.fillVectors(signal)),
    index,
    vectors,
    dimensions: embedder?.dimensions,
    clock,
    weights,
    async look(principal, signal) {
      throwIfAborted(signal, CatalogError);
      await resident.follow(signal);
      return visibleSets(principal);
    },
  };
  return { context, writing: { records, resident, clock } };
}
