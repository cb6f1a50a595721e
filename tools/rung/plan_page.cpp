// A plan as a page that needs nothing else: the curve as SVG, and the tables.
#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "plan.h"

namespace rung::tool {
namespace {

constexpr std::string_view kHead = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>rung plan</title>
<style>
:root { color-scheme: light dark; --ink: #1f2328; --faint: #656d76; --line: #d8dee4; --paper: #fff; --mark: #0a62c9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --faint: #9198a1; --line: #30363d; --paper: #0d1117; --mark: #6cb0ff; }
}
body { margin: 2rem auto; max-width: 68rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
       font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin-bottom: 0; }
h2 { font-size: 1.1rem; margin-top: 2.5rem; }
p, figcaption { color: var(--faint); margin: .3rem 0; }
figure { margin: 1.5rem 0; overflow-x: auto; }
svg { max-width: 100%; min-width: 36rem; font: 12px system-ui, sans-serif; fill: var(--faint); }
svg .grid { stroke: var(--line); }
svg .all { stroke: var(--faint); stroke-dasharray: 3 4; }
svg .curve { fill: none; stroke: var(--mark); stroke-width: 2; stroke-linejoin: round; }
svg circle { fill: var(--paper); stroke: var(--mark); stroke-width: 2; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .25rem .9rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--faint); font-weight: 600; }
td { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere; }
td:first-child { white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
</style>
</head>
<body>
)html";

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

// Where numbers lie on paper, in whole points.
struct Axes {
  static constexpr int kWidth = 760, kHeight = 300, kLeft = 48, kRight = 16, kTop = 16, kBottom = 44;
  size_t operators, models;  // the largest of each, at least 1

  int x(size_t count) const { return kLeft + scaled(count, operators, kWidth - kLeft - kRight); }
  int y(size_t count) const { return kHeight - kBottom - scaled(count, models, kHeight - kTop - kBottom); }

 private:
  static int scaled(size_t count, size_t most, int length) {
    return static_cast<int>(std::lround(static_cast<double>(count) / static_cast<double>(most) * length));
  }
};

// 1, 2, 5, 10, 20, ...: about six of them up to `most`.
size_t tick(size_t most) {
  size_t step = 1;
  for (size_t turn = 0; most / step > 6; ++turn) step = turn % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

std::string line(std::string_view style, int x1, int y1, int x2, int y2) {
  return cat("<line class=\"", style, "\" x1=\"", x1, "\" y1=\"", y1, "\" x2=\"", x2, "\" y2=\"", y2, "\"/>\n");
}

std::string label(std::string_view anchor, int x, int y, std::string_view text) {
  return cat("<text text-anchor=\"", anchor, "\" x=\"", x, "\" y=\"", y, "\">", text, "</text>\n");
}

std::string grid(const Axes& axes) {
  constexpr int kRightEdge = Axes::kWidth - Axes::kRight, kFloor = Axes::kHeight - Axes::kBottom;
  std::string out;
  for (size_t models = 0; models <= axes.models; models += tick(axes.models))
    out += line("grid", Axes::kLeft, axes.y(models), kRightEdge, axes.y(models)) +
           label("end", Axes::kLeft - 8, axes.y(models) + 4, cat(models));
  for (size_t operators = 0; operators <= axes.operators; operators += tick(axes.operators))
    out += label("middle", axes.x(operators), kFloor + 18, cat(operators));
  out += line("all", Axes::kLeft, axes.y(axes.models), kRightEdge, axes.y(axes.models));
  return out + label("middle", (Axes::kLeft + kRightEdge) / 2, Axes::kHeight - 6, "operators implemented");
}

std::string plot(const PlanReport& report) {
  const std::vector<size_t> curve = report.curve();
  const Axes axes{std::max<size_t>(curve.size() - 1, 1), std::max<size_t>(report.models.size(), 1)};
  std::string path = cat("M", axes.x(0), ' ', axes.y(curve[0]));
  for (size_t count = 1; count < curve.size(); ++count) path += cat(" H", axes.x(count), " V", axes.y(curve[count]));
  std::string out = cat("<figure>\n<svg viewBox=\"0 0 ", Axes::kWidth, ' ', Axes::kHeight,
                        "\" role=\"img\" aria-label=\"Models unlocked by operators implemented\">\n", grid(axes),
                        "<path class=\"curve\" d=\"", path, "\"/>\n");
  size_t operators = 0;
  for (size_t step = 0; step <= report.rounds.size(); ++step) {
    if (step > 0) operators += report.rounds[step - 1].implement.size();
    const size_t models = curve[operators];
    out += cat("<circle cx=\"", axes.x(operators), "\" cy=\"", axes.y(models), "\" r=\"4\"><title>step ", step, ": ",
               operators, " operators, ", models, " models</title></circle>\n");
  }
  return out + "</svg>\n<figcaption>Models inside of the set, of " + cat(report.models.size()) +
         ", by operators implemented in the order of the plan; a dot ends a step.</figcaption>\n</figure>\n";
}

std::string table_html(std::string_view title, const Table& table) {
  std::string out = cat("<h2>", title, "</h2>\n<div class=\"wide\"><table>\n<tr>");
  const auto open = [&](std::string_view tag, size_t column) {
    return cat('<', tag, table.columns[column].is_number ? " class=\"number\">" : ">");
  };
  for (size_t i = 0; i < table.columns.size(); ++i) out += open("th", i) + escaped(table.columns[i].head);
  for (const auto& row : table.rows) {
    out += "\n<tr>";
    for (size_t i = 0; i < row.size(); ++i) out += open("td", i) + escaped(row[i]);
  }
  return out + "\n</table></div>\n";
}

}  // namespace

std::string plan_page(const PlanReport& report) {
  std::string out = cat(kHead, "<h1>rung plan: ", escaped(report.set), "</h1>\n<p>", escaped(report.summary()),
                        "</p>\n", plot(report));
  for (const std::string& remark : remarks(report)) out += cat("<p>", escaped(remark), "</p>\n");
  out += table_html("The order", steps_table(report));
  if (!report.survey.needs.empty()) out += table_html("What is missing", needs_table(report));
  if (!report.survey.reached.empty()) out += table_html("What is reached already", reached_table(report));
  return out + "</body>\n</html>\n";
}

}  // namespace rung::tool
