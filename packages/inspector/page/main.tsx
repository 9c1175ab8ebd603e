import { render } from "preact";

// oxlint-disable import/no-unassigned-import -- style sheets
import "uplot/dist/uPlot.min.css";
import "./page.css";
import { Shell } from "./shell.tsx";

const root = document.querySelector("#app");
if (root !== null) render(<Shell />, root);
