import fc from "fast-check";

// CCL_PROPERTY_RUNS is set by test:faults (2,000) and test:nightly (10,000), CCL_PROPERTY_SEED by .ci/run.
const { CCL_PROPERTY_RUNS: runs = "100", CCL_PROPERTY_SEED: seed } = process.env;
fc.configureGlobal({ numRuns: Number(runs), ...(seed && { seed: Number(seed) }) });
