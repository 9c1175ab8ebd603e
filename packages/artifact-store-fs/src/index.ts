export { openFsArtifactStore, type FsArtifactStoreOptions } from "./open-fs-artifact-store.ts";
