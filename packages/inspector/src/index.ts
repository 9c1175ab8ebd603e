export { InspectorError, type InspectorErrorCode } from "./inspector-error.ts";
export { type Inspector, type InspectorOptions, openInspector } from "./open-inspector.ts";
export { readView } from "./read-view.ts";
export type {
  CatalogView,
  GatewayPoint,
  GatewayView,
  InspectorSource,
  InspectorViews,
  OverviewView,
  PackFile,
  PendingPlan,
  PromptPart,
  PromptRow,
  ResourceView,
  RunDetailsView,
  RunOperation,
  SentView,
  SessionRow,
  TextView,
  VerifyView,
  ViewName,
  ViewParameters,
} from "./views.ts";
