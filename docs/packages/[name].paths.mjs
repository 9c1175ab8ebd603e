import { packagePages } from "../.vitepress/package-pages.mjs";

export default { watch: ["../../packages/*/README.md"], paths: packagePages };
