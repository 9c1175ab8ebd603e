export { createContextLogReader } from "./create-context-log-reader.ts";
export { type ExportedPage, exportPage } from "./export-page.ts";
export { InspectorError } from "./inspector-error.ts";
export { type Inspector, type InspectorOptions, openInspector } from "./open-inspector.ts";
export { readView } from "./read-view.ts";
export { type ContextLog, recordTo } from "./record-to.ts";
export type {
  CatalogView,
  GatewayView,
  InspectorSource,
  OverviewView,
  PackView,
  PendingPlan,
  ResourceView,
  VerifyView,
  ViewParameters,
} from "./views.ts";
