import fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { buildOutline } from "./build-outline.ts";

const TYPESCRIPT = `#!/usr/bin/env node
import { helper } from "./helper.ts";
/** Where a thing \`x\` stands, e.g. in a row. More that is not shown. */
export interface Place<out T extends object = {}> extends Base<T>, Other {
  /** Unit: metres. */
  readonly x?: number; // trailing
  at<K extends keyof T>(key: K, ...rest: string[]): T[K];
  (call: string): void;
  new (made: number): Place<T>;
  [index: string]: unknown;
  get size(): number;
}
export type Kind = | "a" | "b" | { tag: "c"; };
export const enum Level { Low = 1, High }
@decorate({ a: 1 })
export abstract class Shape<T> extends Base<T> implements Place<T> {
  #secret = 1;
  private hidden = 2;
  public static readonly origin = new Point(0, 0, { label: "a long initializer of some kind" });
  constructor(private readonly id: string, public size = 4) { super(); }
  /** Area in m2. */
  abstract area(): number;
  protected override async grow(by: number = 1): Promise<void> { await by; }
  scale(by: number): this;
  scale(by: Point): this;
  scale(by: unknown) { return this; }
  handler = (event: Event) => { event.stop(); };
}
export function over(a: string): string;
export function over(a: number): number;
export function over(a: unknown) { return a; }
export async function run({ a, b = 2 }: Options, retries = 3) { return a; }
export const one = 1, two: string = "2", made = helper({ a: 1, b: { c: 2 } }).then(() => 3).finally(() => 4);
export const table = { first: 1, "second-key": (x: number) => x, third() {}, ...helper } as const;
export const { left, right: [top, ...others] } = helper;
export const pattern = /"unbalanced(/g;
const local = <T,>(value: T): T => value;
function inner() {}
export { local, inner as renamed, helper };
export * from "./star.ts";
export * as space from "./space.ts";
export namespace Deep.Er { export const shown = true; const hidden = false; }
declare global { interface Window { extra: string } }
export default class extends Shape<string> {}
`;

const PYTHON = `"""Module."""
from .other import Thing, hidden
__all__ = ["Thing", "Box", "make", "LIMIT", "Alias", "lazy"]
LIMIT: int = 10
type Alias[T] = list[T]

@dataclass(frozen=True)
class Box(Generic[T], metaclass=Meta):
    """Holds things. Not shown."""
    size: int = 3
    items = field(default_factory=list)
    _private = 1
    def __init__(self, size: int = 3, *rest: str, name="a default that is much too long") -> None:
        self.size = size
    @property
    def area(self) -> int:
        """In cells."""
        return 1
    @functools.lru_cache(maxsize=None)
    async def load(self, /, x, *, y=1): ...

@overload
def make(x: int) -> int: ...
@overload
def make(x: str) -> str: ...
def make(x): return x
def not_listed(): pass
`;

const GO = `package shop

import "fmt"

// Cart holds items. It is not safe.
//go:generate stringer
type Cart[K comparable] struct {
	// Total in cents.
	Total int \`json:"total"\`
	count int
	A, B  string // both
	*sync.Mutex
}

type Store interface {
	Get(id string) (Cart[int], error)
	io.Closer
}

type (
	Alias = string
	hidden int
)

const (
	First Kind = iota
	Second
)

var ErrEmpty = errors.New("the cart is empty and cannot be paid for")
var Names = map[string]int{"a": 1}

func (c *Cart[K]) Add(item K, n int) error { return nil }
func (c *Cart[K]) reset() {}
// New makes one.
func New[K comparable](items ...K) (*Cart[K], error) { return nil, nil }
`;

const RUST = `//! Crate.
use std::io;
pub mod shapes {
    /// Draws. Often.
    pub fn draw(at: (i32, i32)) {}
    fn hidden() {}
}
/// A point. In space.
#[derive(Debug)]
pub struct Point<'a, T: Copy = i32> where T: Add { pub x: T, y: T, pub(crate) z: &'a str }
pub struct Pair(pub i32, String);
pub enum Shape { Dot, Line(Point), Box { side: u8 } }
pub trait Area: Sized { type Unit; const SIDES: usize; fn area(&self) -> f64; fn twice(&self) -> f64 { 2.0 } }
impl<T> Point<'_, T> { pub const ZERO: i32 = 0; pub fn new(x: T) -> Self { todo!() } fn hidden(&self) {} }
impl Area for Shape { fn area(&self) -> f64 { 1.0 } }
pub async fn load<R: Read>(from: R) -> io::Result<Vec<u8>> where R: Send { Ok(vec![]) }
pub const NAME: &str = "shape";
pub use self::shapes::{draw, other as renamed};
#[macro_export]
macro_rules! dot { ($x:expr) => { $x }; }
`;

const JAVA = `package a.b;
import java.util.*;
/** A list. Of things. */
@Entity(name = "x")
public abstract class Things<T extends Comparable<T>> extends Base<T> implements Iterable<T> {
  public static final int LIMIT = 10;
  protected final List<T> items = new ArrayList<>();
  private int hidden;
  /** Adds one. Returns it. */
  @Override
  public synchronized <U extends T> U add(@Nullable final U item, int... at) throws IOException { return item; }
  abstract void ofPackage();
  public enum Mode { FAST, SLOW(2) { void x() {} }; public int cost() { return 1; } }
}
record Pair(int a, String b) {}
public interface Shape permits Square { double area(); default int sides() { return 4; } }
`;

const outlined = async (path: string, text: string): Promise<string> => {
  const outline = await buildOutline({ path, text });
  return `${outline.text}\n=== exports ${outline.exports.join(" ")}`;
};

describe("buildOutline", () => {
  it("shows what a TypeScript module exports", async () => {
    expect(await outlined("a.ts", TYPESCRIPT)).toMatchInlineSnapshot(`
      "// Where a thing \`x\` stands, e.g. in a row.
      interface Place<out T extends object = {}> extends Base<T>, Other {
       // Unit: metres.
       readonly x?: number
       at<K extends keyof T>(key: K, ...rest: string[]): T[K]
       (call: string): void
       new (made: number): Place<T>
       [index: string]: unknown
       get size(): number
      }
      type Kind = "a" | "b" | {tag: "c"}
      const enum Level {
       Low = 1,
       High,
      }
      abstract class Shape<T> extends Base<T> implements Place<T> {
       static readonly origin = new Point(…)
       constructor(id: string, public size = 4)
       // Area in m2.
       abstract area(): number
       protected grow(by?: number): Promise<void>
       scale(by: number): this
       scale(by: Point): this
       handler: (event: Event) => …
      }
      function over(a: string): string
      function over(a: number): number
      async function run({…}: Options, retries = 3)
      const one = 1
      const two: string
      const made = helper({a: 1, b: {c: 2}}).then(…).finally(…)
      const table = { first, "second-key": …, third, ...helper }
      const { left, top, others } = helper
      const pattern: RegExp
      const local: <T>(value: T) => T
      function inner()
      export { inner as renamed, helper }
      export * from "./star.ts"
      export * as space from "./space.ts"
      namespace Deep.Er {
       const shown = true
      }
      declare global {
       interface Window {
        extra: string
       }
      }
      export default class extends Shape<string> {}
      === exports Place Kind Level Shape over run one two made table left top others pattern local renamed helper space Deep default"
    `);
  });

  it("shows a JavaScript module in the CommonJS form", async () => {
    const text =
      "const fs = require('fs');\n/** Adds. */\nfunction add(a, b = 2) {}\nfunction hidden() {}\nclass Box { run(x) {} #no() {} }\nexports.two = function (a) {};\nmodule.exports = { add, Box, other: 3 };\n";
    expect(await outlined("a.cjs", text)).toMatchInlineSnapshot(`
      "// Adds.
      function add(a, b = 2)
      class Box {
       run(x)
      }
      exports.two = (a) => …
      module.exports = {add, Box, other: 3}
      === exports two add Box other"
    `);
  });

  it("shows the members that a script assigns to what it exports", async () => {
    const text = [
      "var app = exports = module.exports = {};",
      "/** Mounts. */",
      "app.use = function use(path, fn) {};",
      "app.settings = { a: 1 };",
      "function Box() {}",
      "Box.prototype.open = function (key) {};",
      "Box.of = Box.from = (list) => new Box();",
      "exports.Box = Box;",
      "exports.Lid = class extends Box { close(x) {} };",
      "const hidden = {};",
      "hidden.run = function () {};",
      "Array.prototype.last = function () {};",
      "process.env.MODE = 'hidden';",
      "",
    ].join("\n");
    expect(await outlined("a.js", text)).toMatchInlineSnapshot(`
      "var app = exports = module.exports = {}
      // Mounts.
      app.use = (path, fn) => …
      app.settings = {a: 1}
      function Box()
      Box.prototype.open = (key) => …
      Box.of = (list) => …
      Box.from = (list) => …
      exports.Box = Box
      exports.Lid = class extends Box {
       close(x)
      }
      Array.prototype.last = () => …
      === exports app.use app.settings Box.open Box.of Box.from Box Lid Array.last"
    `);
    expect(await outlined("b.js", "module.exports = class Box { run(x) {} };\n"))
      .toMatchInlineSnapshot(`
      "module.exports = class Box {
       run(x)
      }
      === exports Box"
    `);
    expect(await outlined("c.js", "module.exports = function box(a) {};\n")).toMatchInlineSnapshot(`
      "module.exports = function box(a)
      === exports box"
    `);
  });

  it("shows a style sheet by selectors, at-rules and custom properties", async () => {
    const text = `/* .no { } */
:root { --main: #fff; --icon: url(data:image/png;base64,${"a".repeat(80)}); color: red }
.a > .b:not([x="}"]),
#c { content: "// {"; }
@media (min-width: 100px) { .d { top: 0 } .e .f { --x: 1 } }
@keyframes spin { from { top: 0 } to { top: 1px } }
$width: 10px;
@mixin wide($by: 1) { &:hover { x: y } .inner { a: b } } // .no { }
`;
    expect(await outlined("a.scss", text)).toMatchInlineSnapshot(`
      ":root {
       --main: #fff
       --icon: …
      }
      .a > .b:not([x="}"]), #c
      @media (min-width: 100px) {
       .d
       .e .f
       --x: 1
      }
      @keyframes spin
      $width: 10px
      @mixin wide($by: 1) {
       .inner
      }
      === exports :root .a > .b:not([x="}"]), #c spin $width wide"
    `);
    const [, rule] = (await buildOutline({ path: "a.css", text })).items;
    expect(rule).toMatchObject({ firstLine: 3, lastLine: 4 });
  });

  it("shows a component in TSX without its elements", async () => {
    const text =
      "export const View = ({ title, size = 3 }: Props): JSX.Element => <p size={size}>{/* x */}{title}</p>;\nexport default View;\n";
    expect(await outlined("a.tsx", text)).toMatchInlineSnapshot(`
      "const View: ({…}: Props) => JSX.Element
      export default View
      === exports View default"
    `);
  });

  it("shows every declaration of a declaration file and of a script", async () => {
    expect(await outlined("a.d.ts", "export declare const a: number;\ndeclare function b(): void;"))
      .toMatchInlineSnapshot(`
      "const a: number
      function b(): void
      === exports a b"
    `);
    expect(await outlined("a.ts", "async function main(): Promise<void> {}\nvoid main();"))
      .toMatchInlineSnapshot(`
      "function main(): Promise<void>
      === exports main"
    `);
  });

  it("shows what a Python module lists in __all__", async () => {
    expect(await outlined("a.py", PYTHON)).toMatchInlineSnapshot(`
      "from .other import Thing
      LIMIT: int = 10
      type Alias[T] = list[T]
      # Holds things.
      @dataclass
      class Box(Generic[T], metaclass=Meta):
       size: int = 3
       items = field(…)
       def __init__(self, size: int = 3, *rest: str, name=…) -> None
       # In cells.
       @property
       def area(self) -> int
       async def load(self, /, x, *, y=1)
      @overload
      def make(x: int) -> int
      @overload
      def make(x: str) -> str
      __all__ = lazy
      === exports Thing LIMIT Alias Box make lazy"
    `);
  });

  it("shows names with a capital in Go", async () => {
    expect(await outlined("a.go", GO)).toMatchInlineSnapshot(`
      "// Cart holds items.
      type Cart[K comparable] struct {
       // Total in cents.
       Total int
       A, B string
       *sync.Mutex
      }
      type Store interface {
       Get(id string) (Cart[int], error)
       io.Closer
      }
      type Alias = string
      const First Kind = iota
      const Second
      var ErrEmpty = errors.New(…)
      var Names = map[string]int{…}
      func (*Cart[K]) Add(item K, n int) error
      // New makes one.
      func New[K comparable](items ...K) (*Cart[K], error)
      === exports Cart Store Alias First Second ErrEmpty Names Cart.Add New"
    `);
  });

  it("shows what is pub in Rust", async () => {
    expect(await outlined("a.rs", RUST)).toMatchInlineSnapshot(`
      "mod shapes {
       // Draws.
       fn draw(at: (i32, i32))
      }
      // A point.
      struct Point<'a, T: Copy = i32> where T: Add {
       x: T,
      }
      struct Pair(i32, _)
      enum Shape {
       Dot,
       Line(Point),
       Box {side: u8},
      }
      trait Area: Sized {
       type Unit
       const SIDES: usize
       fn area(&self) -> f64
       fn twice(&self) -> f64
      }
      impl<T> Point<'_, T> {
       const ZERO: i32 = 0
       fn new(x: T) -> Self
      }
      impl Area for Shape
      async fn load<R: Read>(from: R) -> io::Result<Vec<u8>> where R: Send
      const NAME: &str = "shape"
      pub use self::shapes::{draw, other as renamed}
      macro_rules! dot {
       ($x:expr)
      }
      === exports shapes Point Pair Shape Area load NAME draw renamed dot"
    `);
  });

  it("shows public and protected members in Java", async () => {
    expect(await outlined("A.java", JAVA)).toMatchInlineSnapshot(`
      "// A list.
      abstract class Things<T extends Comparable<T>> extends Base<T> implements Iterable<T> {
       static final int LIMIT = 10
       protected final List<T> items = new ArrayList<>()
       // Adds one.
       <U extends T> U add(final U item, int... at) throws IOException
      }
      enum Mode {
       FAST, SLOW
       int cost()
      }
      interface Shape permits Square {
       double area()
       default int sides()
      }
      === exports Things Things.Mode Shape"
    `);
  });

  it("shows the headings of Markdown outside fenced code", async () => {
    const text = "---\ntitle: x\n---\n# One #\ntext\n```\n# not\n```\nTwo\n---\n### Three `code`\n";
    expect(await outlined("a.md", text)).toMatchInlineSnapshot(`
      "# One
      ## Two
      ### Three \`code\`
      === exports "
    `);
  });

  it("takes underlines, tabs of MkDocs and comments for no headings", async () => {
    const text = 'One\n===\n=== "Java"\n<!--\n# not\n-->\n--\n## Two\n';
    expect(await outlined("a.md", text)).toMatchInlineSnapshot(`
      "# One
      ## Two
      === exports "
    `);
  });

  it("takes tildes below a title for its underline, and other tildes for a fence", async () => {
    const text =
      "Guide\n=====\nUsage\n~~~~~\n\n~~~~\n# not\n~~~~\nSetup of all\n~~~~\n# not\n~~~~\nrun\n~~~\n# not\n";
    expect(await outlined("a.md", text)).toMatchInlineSnapshot(`
      "# Guide
      ### Usage
      === exports "
    `);
  });

  it("shows the keys of JSON with types, and in a broken file those that can be read", async () => {
    const text =
      '{ "name": "x", // note\n "list": [{ "id": 1, "to": null }, 2,],\n "map": { "a": { "b": 1 }, "c": [] },\n "cut": { "x"';
    expect(await outlined("a.json", text)).toMatchInlineSnapshot(`
      "name: string
      list: {id: number, to: null}[2]
      map: {a: {…1}, c: []}
      cut: …
      === exports "
    `);
    expect(await outlined("b.json", '[{ "id": 1 }, { "id": 2 }]')).toMatchInlineSnapshot(`
      "array: {id: number}[2]
      === exports "
    `);
  });

  it("shows the keys of every YAML document", async () => {
    expect(
      await outlined("a.yml", "on: { push: [a, b] }\njobs:\n  build: { x: 1 }\n---\nkind: Pod\n"),
    ).toMatchInlineSnapshot(`
      "on: {push: string[2]}
      jobs: {build: {…1}}
      kind: string
      === exports "
    `);
  });

  it("gives the source lines of each item", async () => {
    const { items } = await buildOutline({
      path: "a.ts",
      text: "\r\nexport const a = 1;\r\nexport function b() {\r\n}\r\n",
    });
    expect(items.map(({ name, firstLine, lastLine }) => [name, firstLine, lastLine])).toEqual([
      ["a", 2, 2],
      ["b", 3, 4],
    ]);
  });

  it("marks how much of a long union or object type was cut", async () => {
    const union = Array.from({ length: 200 }, (_, index) => `"k${index}"`).join(" | ");
    const { text } = await buildOutline({ path: "a.ts", text: `export type U = ${union};` });
    expect(text.length).toBeLessThan(450);
    const [, cut] = /…(\d+)$/.exec(text) ?? [];
    expect(text.split(" | ").length - 1 + Number(cut)).toBe(200);
  });

  it("keeps what can be recovered from code with errors", async () => {
    const text =
      "export function a() {\n  if (x) {\n    foo(;\n}\nexport function b(x: string): number { return 1 }\nexport class C { constructor( {\n";
    const outline = await buildOutline({ path: "a.ts", text });
    expect(outline.hasErrors).toBe(true);
    expect(outline.text).toMatchInlineSnapshot(`
      "function a()
      function b(x: string): number
      class C"
    `);
  });

  it("shows the local types that signatures refer to, directly or indirectly, but no others", async () => {
    const text =
      "interface Inner { a: Deep }\ntype Deep = string;\ntype Unused = 1;\nconst shape = { a: 1 };\n" +
      "const other = 2;\nexport function read(inner: Inner): typeof shape { return shape; }\n";
    const outline = await buildOutline({ path: "a.ts", text });
    expect(outline.items.map(({ name }) => name)).toEqual(["Inner", "Deep", "shape", "read"]);
    expect(outline.exports).toEqual(["read"]);
  });

  it("shows exports that the parser lost by their first lines", async () => {
    // To the grammar, a call of a function named `using` is a declaration.
    const text =
      "export async function before(): Promise<number> {\n  return await using(1, async (a) =>\n    work(a, await run(a)),\n  );\n}\n\n" +
      "export async function after(name: string): Promise<void> {\n  await run(name);\n}\n";
    const { items, unread } = await buildOutline({ path: "a.ts", text });
    expect([items.map(({ text: shown }) => shown), unread]).toMatchInlineSnapshot(`
      [
        [
          "function before(): Promise<number>",
          "function after(name: string): Promise<void>",
        ],
        [
          "before",
          "after",
        ],
      ]
    `);
  });

  it("finds nothing in an unknown language and in an empty file", async () => {
    const unknown = await buildOutline({ path: "a.xyz", text: "class A {}" });
    expect(unknown).toEqual({
      language: undefined,
      text: "",
      items: [],
      exports: [],
      hasErrors: false,
      unread: [],
    });
    expect((await buildOutline({ path: "a.py", text: "" })).items).toEqual([]);
  });

  it("does not start when the signal is aborted", async () => {
    const building = buildOutline({ path: "a.ts", text: "" }, { signal: AbortSignal.abort() });
    await expect(building).rejects.toMatchObject({ code: "aborted" });
  });

  it("never leaves a bracket open, whatever is missing from the source", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(TYPESCRIPT.length), fc.nat(40), async (start, length) => {
        const text = TYPESCRIPT.slice(0, start) + TYPESCRIPT.slice(start + length);
        const outline = await buildOutline({ path: "a.ts", text });
        const code = outline.text.replace(/"[^"\n]*"|\/\/[^\n]*/g, "");
        const [open, closed] = [code.match(/[([{]/g) ?? [], code.match(/[)\]}]/g) ?? []];
        expect(open.length).toBe(closed.length);
      }),
    );
  });

  it("returns declarations that the TypeScript compiler parses", async () => {
    const outline = await buildOutline({ path: "a.ts", text: TYPESCRIPT });
    const parsed = ts.transpileModule(outline.text.replaceAll("…", "_"), {
      reportDiagnostics: true,
    });
    expect(parsed.diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
  });
});
