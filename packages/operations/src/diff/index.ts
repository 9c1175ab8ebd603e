export { diffArtifactVersions, type DiffArtifactOptions } from "./diff-artifact-versions.ts";
