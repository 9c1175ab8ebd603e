import fc from "fast-check";

// CCL_PROPERTY_RUNS is set by test:faults (2,000) and test:nightly (10,000).
fc.configureGlobal({ numRuns: Number(process.env["CCL_PROPERTY_RUNS"] ?? 200) });
