import { render } from "preact";

import "uplot/dist/uPlot.min.css";
import "./page.css";
import { Shell } from "./shell.tsx";

const root = document.querySelector("#app");
if (root !== null) render(<Shell />, root);
