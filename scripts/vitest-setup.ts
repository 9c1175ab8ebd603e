import fc from "fast-check";
import { propertyRuns } from "./lengths/test-length.mjs";

// CCL_PROPERTY_SEED is set by .ci/run.
const { CCL_PROPERTY_SEED: seed } = process.env;
fc.configureGlobal({ numRuns: propertyRuns, ...(seed && { seed: Number(seed) }) });
