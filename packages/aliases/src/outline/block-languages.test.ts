import { describe, expect, it } from "vitest";

import { buildOutline } from "./build/build-outline.ts";
import { readUnreadExports } from "./unread-exports.ts";

/**
 * Sources with every construct of their language. Names that other files do not see contain
 * "hidden".
 */
const SOURCES: [string, string][] = [
  [
    "a.cpp",
    `#pragma once
#define MAX(a, b) ((a) > (b) ? (a) : (b))
namespace n { namespace m {
/// Holds one.
template <typename T> class Foo : public Bar<T> {
  int hidden;
 public:
  explicit Foo(int a) : hidden(a) {}
  virtual void go(const T& t) const = 0;
  enum class E { A, B };
  template <class U> U get() { return 1; }
  bool operator==(const Foo& o) const;
 private:
  void hidden_too();
};
struct P { int a, b; };
static int hidden_function() { return 1; }
namespace { int hidden_in_file(int a) { return 1; } }
template <typename T = std::string>
inline std::shared_ptr<T> make(const std::string& name, int size) { return {}; }
using X = std::vector<int>;
constexpr int kMax = 3;
}}
int n::m::Foo::go(int x) const { return 1; }
extern "C" { void c_function(void); }
#ifdef A
typedef struct { int x; } Point;
#endif
`,
  ],
  [
    "a.cs",
    `using System;
namespace A.B;
/// <summary>
/// Does things. And more.
/// </summary>
public sealed class Foo<T> : IBar where T : class {
  private int hidden;
  public const int Max = 3;
  public string Name { get; set; } = "a";
  public int Size { get { return hidden + hidden; } set { hidden = value; } }
  [Obsolete] public async Task<int> Run(int a, string b = "x") { return 1; }
  public Foo(int x) : base(x) {}
  protected internal enum E { A, B }
  int HiddenToo_hidden() => 1;
}
public record Point(int X, int Y);
public interface IBar { void Go(); }
public delegate void Handler(object o);
internal static class hidden { public static int hiddenToo(this string s) => 1; }
`,
  ],
  [
    "a.php",
    `<?php
namespace A\\B;
/** Does. */
abstract class Foo extends Bar implements I {
  use T;
  const MAX = 3;
  private $hidden;
  public ?string $name = null;
  /** Runs. */
  public static function run(array $a, ?int $b = null): ?string { return 1; }
  private function hiddenToo() {}
}
interface I { public function go(int $x): void; }
enum Suit: string { case Hearts = 'H'; public function label(): string { return ''; } }
function helper(int ...$a): int { return 1; }
`,
  ],
  [
    "a.rb",
    `require "a"
# Not of A alone.
module A
  # Does.
  class Foo < Bar::Baz
    MAX = 3
    attr_reader :name, :size
    # Runs.
    def run(a, b = 1, *rest, key: 2, &blk)
      1
    end
    def self.make(x) = new(x)
    private
    def hidden; end
    class << self
      def shown; end
    end
  end
end
def top(a); end
`,
  ],
  [
    "a.sh",
    "#!/bin/bash\n# Says hello.\nhello() { echo; }\nfunction bye { echo; }\nexport NAME=1\nhidden=3\n",
  ],
  [
    "a.kt",
    `package a
/** Does. */
data class Foo<T>(val a: Int)
class Bar {
  private val hidden = 1
  override fun go(a: Int): String {
    val hiddenToo = 2
    fun hidden_too() = 1
  }
}
private class hidden {
  fun hidden_in_it() = 1
}
fun <T> List<T>.second(): T = this[1]
`,
  ],
  [
    "a.sql",
    "create table if not exists users (\n  hidden int\n);\ncreate or replace view seen as select 1;\n",
  ],
];

describe("buildOutline", () => {
  it.each(SOURCES)("shows the declarations of %s that other files see", async (path, text) => {
    const outline = await buildOutline({ path, text });
    expect(outline.hasErrors).toBe(false);
    expect(outline.text).not.toMatch(/hidden/);
    expect(`${outline.text}\n`).toMatchSnapshot();
  });

  it("reads declarations behind macros of C++", async () => {
    const text = `#define API __declspec(dllexport)
class SPDLOG_API Sink : public Base {
 public:
  virtual ~Sink() = default;
};
MY_INLINE void Sink::log(const std::string& text) { go(); }
MY_EXPORT template <typename T> class Store {};
template <typename T> MY_CONSTEXPR auto size_of(T value) -> int { return 1; }
extern "C" int run(int count) { return count; }`;
    const outline = await buildOutline({ path: "sink.h", text });
    expect(outline).toMatchObject({
      hasErrors: false,
      exports: ["API", "Sink", "Sink::log", "Store", "size_of", "run"],
    });
  });

  it.each([
    [
      "a.rb",
      'begin\n  class A\n    QUOTE = /[\\w]+="?/\n    def go(a)\n    end\n  end\nend\n',
      /class A:[^]*def go\(a\)/,
    ],
    ["a.h", "static int shared(int a) { return a; }\n", /int shared\(int a\)/],
    ["b.h", "MY_EXPORT template <typename T> class Lost {\n  void go() { if (\n", /class Lost/],
    [
      "a.php",
      "<?php\nif (!function_exists('go')) {\n  function go(int $a) {}\n} else {\n  class Other {}\n}\n",
      /function go\(int \$a\)\nclass Other/,
    ],
    [
      "a.kt",
      "class A {\n  companion object {\n    fun of(a: Int) = A()\n  }\n}\n",
      /fun of\(a: Int\)/,
    ],
    [
      "b.kt",
      "class A\n  constructor(\n    val size: Int,\n  ) {\n    class Builder\n      constructor() {\n        fun of(a: Int) = A(a)\n      }\n  }\n",
      /fun of\(a: Int\)/,
    ],
    ["a.sh", "{ # whole\n  if true; then\n    go_on() { echo; }\n  fi\n}\n", /go_on/],
  ])("loses no name of %s", async (path, text, shown) => {
    expect((await buildOutline({ path, text })).text).toMatch(shown);
  });

  it("recovers functions of C that the parser lost", () => {
    const text =
      "int lost(int a) {\n  if (a) {\n    call(a);\n}\nstatic int own(int a) {\n  return call(a);\n";
    expect(readUnreadExports(text, "cpp", []).map(({ signature }) => signature)).toEqual([
      "int lost(int a)",
    ]);
  });

  it.each([
    [
      "A.vue",
      '<template>\n  <p>export const no = 1</p>\n</template>\n<script lang="ts">\nexport const a = 1;\n</script>\n',
      "const a = 1",
      5,
    ],
    ["A.astro", "---\nexport const a = 1;\n---\n<p>export const no = 1</p>\n", "const a = 1", 2],
    [
      "a.ipynb",
      JSON.stringify({
        cells: [
          { cell_type: "markdown", source: "def no(): pass" },
          {
            cell_type: "code",
            source: ["def train(n):\n", "  pass\n"],
            outputs: ["def no(): pass"],
          },
        ],
      }),
      "def train(n)",
      3,
    ],
  ])("reads only the code of %s", async (path, text, shown, firstLine) => {
    const { items } = await buildOutline({ path, text });
    expect(items).toMatchObject([{ text: expect.stringContaining(shown), firstLine }]);
  });
});
