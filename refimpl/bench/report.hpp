// SPDX-License-Identifier: MIT
#pragma once
// What a benchmark gives: its inputs, what the thread reported, tables of what this run measured or counted, findings
// computed from them, and charts. Everything that was chosen and not measured is an input.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace quiesce::bench {

using json = nlohmann::ordered_json;

struct input {
  std::string name, value, why;
};

// One cell: a number, a text, or null where the row has nothing to say (a run that was stopped).
using row = std::vector<json>;

struct section {
  std::string title;
  std::vector<std::string> columns;
  std::vector<row> rows;
};

struct chart_series {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct chart {
  std::string title, x, y;
  bool logarithmic = false;  // both axes; points that are not positive are left out
  std::vector<chart_series> series;
};

struct report {
  std::string name, title;
  std::vector<input> inputs;
  std::vector<std::string> reported;  // the thread's numbers
  std::vector<section> sections;
  std::vector<std::string> findings;
  std::vector<chart> charts;
};

// Columns aligned, numbers to the right, "-" for null. Ends with a newline.
std::string to_text(const report& r);
// {"name", "title", "inputs", "reported", "sections": [{"title", "columns", "rows": [{column: cell}]}], "findings"}.
json to_json(const report& r);
// Rounded to `digits` significant digits, so that text and JSON show the same.
json number(double value, int digits = 4);

}  // namespace quiesce::bench
