// SPDX-License-Identifier: MIT
#include "conformance/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

namespace quiesce::conformance {

namespace {

constexpr std::size_t shown_events = 12;

std::string indented(const std::string& text, const char* by) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += by + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return out;
}

bool is_property(const rule_book& rules, const std::string& what) {
  return std::any_of(rules.entries().begin(), rules.entries().end(),
                     [&](const rule_book::entry& e) { return e.property->name == what; });
}

std::string rule_of(const rule_book& rules, const std::string& what) {
  if (!is_property(rules, what)) return {};
  const ast::property& p = *rules.entries()[rules.number(what)].property;
  std::string ids;
  for (const std::string& r : p.rules) ids += (ids.empty() ? "" : ", ") + r;
  return fmt::format("  rule {}: {}\n", ids, p.sentence);
}

// The end of the shortest prefix that breaks the rule.
std::string last_events(trial& on, const scenario& s, const std::string& what) {
  run_result r;
  const std::vector<finding> found = on.run(s, &r, true);
  const auto f = std::find_if(found.begin(), found.end(), [&](const finding& x) { return x.what == what; });
  if (f == found.end() || r.events.empty()) return {};
  const std::size_t end = std::min<std::size_t>(f->at + 1, r.events.size());
  const std::size_t begin = end > shown_events ? end - shown_events : 0;
  std::string text = fmt::format("  {}\n  events {}..{} of the shortest run that breaks it:\n", f->text, begin + 1, end);
  for (std::size_t i = begin; i < end; ++i) text += "    " + refimpl::format(r.events[i]) + "\n";
  return text;
}

const scenario& smallest(const report_input& in, const std::string& what, const failing& f) {
  const auto small = in.shrunk.find(what);
  return small != in.shrunk.end() ? small->second : f.found;
}

std::string failure_text(const report_input& in, const std::string& what, const failing& f) {
  const auto small = in.shrunk.find(what);
  const scenario& s = smallest(in, what, f);
  std::string text = fmt::format("BROKEN {}\n{}", what, rule_of(in.rules, what));
  if (const std::string claim = in.rules.known().claimed(in.variant, what); !claim.empty())
    text += fmt::format("  its model breaks it too: {}\n", claim);
  text += last_events(in.on, s, what);
  text += fmt::format("  scenario{}, {} device{}, {} namespace{} besides init_net:\n",
                      small != in.shrunk.end() ? ", shrunk" : "", s.devices.size(), s.devices.size() == 1 ? "" : "s",
                      s.nets.size(), s.nets.size() == 1 ? "" : "s");
  text += indented(format(s), "    ");
  return text + fmt::format("  again: {}\n\n", reproduction(in, f));
}

std::string not_promised_text(const report_input& in) {
  std::string no_rule, known;
  for (const auto& [what, f] : in.result.not_promised)
    (f.first.known ? known : no_rule) += fmt::format("  {:<44} {}\n", what, f.first.not_promised);
  if (!known.empty()) known = "does not hold, which is known of this variant; its model breaks it too:\n" + known + "\n";
  if (!no_rule.empty()) no_rule = "does not hold, and is no rule of this variant:\n" + no_rule + "\n";
  return known + no_rule;
}

std::string subject(const report_input& in) {
  return in.scenario_file.empty() ? fmt::format("scenarios={} seed={}", in.result.runs, in.seed)
                                  : fmt::format("scenario={}", in.scenario_file);
}

}  // namespace

std::string headline(const report_input& in) {
  std::string best;
  std::tuple<bool, std::size_t, std::size_t> least;
  for (const auto& [what, f] : in.result.failures) {
    const scenario& s = smallest(in, what, f);
    const std::tuple size(s.devices.empty(), s.nets.size(), s.devices.size());
    if (!best.empty() && size >= least) continue;
    best = what;
    least = size;
  }
  return best;
}

std::string reproduction(const report_input& in, const failing& f) {
  const std::string driver = in.driver == "simulated" ? "" : " --driver " + in.driver;
  if (!in.scenario_file.empty())
    return fmt::format("quiesce conform --variant {}{} --scenario {}", in.variant, driver, in.scenario_file);
  return fmt::format("quiesce conform --variant {}{} --seed {} --count 1", in.variant, driver, f.seed);
}

std::string to_text(const report_input& in) {
  std::string text = fmt::format("conform: variant {}, driver {}, {}\n\n", in.variant, in.driver, subject(in));
  for (const auto& [what, f] : in.result.failures) text += failure_text(in, what, f);
  text += not_promised_text(in);
  if (in.coverage)
    text +=
        "scenarios that covered what the models' options distinguish:\n" + format(in.result.covered, in.result.runs) + "\n";
  if (in.result.failures.empty()) return text + fmt::format("quiesce: conform {} PASSED {}\n", in.variant, subject(in));
  const std::string what = headline(in);
  const failing& f = in.result.failures.at(what);
  const scenario& s = smallest(in, what, f);
  return text + fmt::format("quiesce: conform {} VIOLATED {} {} dev={} net={}\n", in.variant, what,
                            in.scenario_file.empty() ? fmt::format("seed={}", f.seed) : subject(in), s.devices.size(),
                            s.nets.size());
}

namespace {

struct test_case {
  std::string name;
  enum { passed, failed, skipped } outcome = passed;
  std::string text;  // why it was skipped; what broke
};

test_case case_of(const report_input& in, std::size_t number) {
  const rule_book::entry& e = in.rules.entries()[number];
  test_case t{e.property->name, test_case::passed, {}};
  const auto failure = in.result.failures.find(t.name);
  const auto excused = in.result.not_promised.find(t.name);
  if (failure != in.result.failures.end()) {
    t.outcome = test_case::failed;
    t.text = failure_text(in, t.name, failure->second);
  } else if (!e.undecidable.empty()) {
    t.outcome = test_case::skipped;
    t.text = "not decided on the stack: " + e.undecidable;
  } else if (excused != in.result.not_promised.end()) {
    t.outcome = test_case::skipped;
    t.text = "does not hold: " + excused->second.first.not_promised;
  } else if (e.by_events && number < in.result.matched.size() && in.result.matched[number] == 0) {
    t.outcome = test_case::skipped;
    t.text = "its trigger never happened";
  }
  return t;
}

std::vector<test_case> cases_of(const report_input& in) {
  std::vector<test_case> cases;
  for (std::size_t i = 0; i < in.rules.entries().size(); ++i) cases.push_back(case_of(in, i));
  test_case other{"machine_checks_warnings_and_leaks", test_case::passed, {}};
  for (const auto& [what, f] : in.result.failures) {
    if (is_property(in.rules, what)) continue;
    other.outcome = test_case::failed;
    other.text += failure_text(in, what, f);
  }
  cases.push_back(std::move(other));
  if (in.kernel)
    cases.push_back({"tables_of_the_kernel", in.kernel->agrees ? test_case::passed : test_case::failed,
                     in.kernel->agrees ? std::string() : in.kernel->text});
  return cases;
}

// The rule's sentence; of what is no rule, what happened.
std::string message_of(const report_input& in, const test_case& t) {
  if (is_property(in.rules, t.name)) return in.rules.entries()[in.rules.number(t.name)].property->sentence;
  return t.text.substr(0, t.text.find('\n'));
}

std::string xml(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace

std::string to_ktap(const report_input& in) {
  const std::vector<test_case> cases = cases_of(in);
  std::string text = fmt::format("KTAP version 1\n1..{}\n# quiesce conform: variant {}, driver {}, {}\n", cases.size(),
                                 in.variant, in.driver, subject(in));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const test_case& t = cases[i];
    if (t.outcome == test_case::failed) text += indented(t.text, "# ");
    text += fmt::format("{} {} {}{}\n", t.outcome == test_case::failed ? "not ok" : "ok", i + 1, t.name,
                        t.outcome == test_case::skipped ? " # SKIP " + t.text : "");
  }
  return text;
}

std::string to_junit(const report_input& in) {
  const std::vector<test_case> cases = cases_of(in);
  const auto count = [&](auto outcome) {
    return std::count_if(cases.begin(), cases.end(), [&](const test_case& t) { return t.outcome == outcome; });
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"conform {}\" tests=\"{}\" failures=\"{}\" "
      "skipped=\"{}\">\n",
      xml(in.variant), cases.size(), count(test_case::failed), count(test_case::skipped));
  text += fmt::format(
      "  <properties>\n    <property name=\"seed\" value=\"{}\"/>\n    <property name=\"scenarios\" value=\"{}\"/>\n  "
      "</properties>\n",
      in.seed, in.result.runs);
  for (const test_case& t : cases) {
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", xml(in.variant), xml(t.name));
    if (t.outcome == test_case::passed) {
      text += "/>\n";
    } else if (t.outcome == test_case::skipped) {
      text += fmt::format(">\n    <skipped message=\"{}\"/>\n  </testcase>\n", xml(t.text));
    } else {
      text +=
          fmt::format(">\n    <failure message=\"{}\">{}</failure>\n  </testcase>\n", xml(message_of(in, t)), xml(t.text));
    }
  }
  return text + "</testsuite>\n";
}

namespace {

using nlohmann::ordered_json;

ordered_json failure_json(const report_input& in, const std::string& what, const failing& f) {
  const scenario& s = smallest(in, what, f);
  ordered_json out = {{"what", what}, {"text", f.first.text}};
  if (is_property(in.rules, what)) {
    const ast::property& p = *in.rules.entries()[in.rules.number(what)].property;
    out["sentence"] = p.sentence;
    out["rules"] = p.rules;
  }
  if (const std::string claim = in.rules.known().claimed(in.variant, what); !claim.empty()) out["model"] = claim;
  if (in.scenario_file.empty()) out["seed"] = f.seed;
  out["shrunk"] = in.shrunk.count(what) != 0;
  out["devices"] = s.devices.size();
  out["namespaces"] = s.nets.size();
  out["scenario"] = format(s);
  out["again"] = reproduction(in, f);
  return out;
}

}  // namespace

std::string to_json(const report_input& in) {
  constexpr const char* outcomes[] = {"passed", "failed", "skipped"};
  ordered_json out = {{"variant", in.variant}, {"driver", in.driver}};
  if (in.scenario_file.empty()) out["seed"] = in.seed;
  if (!in.scenario_file.empty()) out["scenario"] = in.scenario_file;
  out["scenarios"] = in.result.runs;
  out["events"] = in.result.events;
  out["verdict"] = in.result.failures.empty() ? "passed" : "violated";
  out["tests"] = ordered_json::array();
  for (const test_case& t : cases_of(in)) {
    ordered_json one = {{"name", t.name}, {"outcome", outcomes[t.outcome]}};
    if (t.outcome == test_case::skipped) one["reason"] = t.text;
    out["tests"].push_back(std::move(one));
  }
  out["failures"] = ordered_json::array();
  for (const auto& [what, f] : in.result.failures) out["failures"].push_back(failure_json(in, what, f));
  if (in.kernel) out["kernel"] = {{"agrees", in.kernel->agrees}, {"text", in.kernel->text}};
  if (in.coverage)
    for (std::size_t i = 0; i < feature_table().size(); ++i)
      out["coverage"][feature_table()[i].name] = in.result.covered.hits()[i];
  return out.dump(2) + "\n";
}

}  // namespace quiesce::conformance
