// SPDX-License-Identifier: MIT
#include "model/explicit/native.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "model/explicit/native_text.hpp"
#include "model/explicit/sha256.hpp"
#include "model/system/single.hpp"

namespace quiesce {

struct native_code::functions {
  std::uint32_t (*expand)(const word*, std::uint32_t*, std::uint32_t, successor_buffer*) = nullptr;
  std::uint32_t (*invariants)(const word*, word*) = nullptr;
  std::uint32_t (*steps_of)(const word*, std::uint32_t, std::uint32_t, successor_buffer*) = nullptr;
  void* object = nullptr;
  ~functions() {
    if (object) dlclose(object);
  }
};

namespace {

// What generated code cannot do the interpreter does.
class native_stepper final : public stepper, public single_stepper {
 public:
  using expand_function = std::uint32_t (*)(const word*, std::uint32_t*, std::uint32_t, successor_buffer*);
  using invariants_function = std::uint32_t (*)(const word*, word*);
  using steps_of_function = std::uint32_t (*)(const word*, std::uint32_t, std::uint32_t, successor_buffer*);
  native_stepper(std::unique_ptr<stepper> other, const ir::program& p, expand_function e, invariants_function i,
                 steps_of_function o)
      : other_(std::move(other)), expand_(e), invariants_(i), steps_of_(o), words_(other_->words_of_state()) {
    std::uint32_t n = 0;
    for (const ir::process& q : p.processes) {
      number_.push_back(n);
      n += q.over == ir::nothing ? 1 : static_cast<std::uint32_t>(p.sorts[q.over].element.size());
    }
  }

  result steps_of(const word* state, std::uint32_t process, std::uint32_t instance, std::uint32_t parent,
                  successor_buffer& b) override {
    const std::uint32_t r = steps_of_(state, number_[process] + instance, parent, &b);
    return r == 0 ? result::done : r == 1 ? result::stopped : result::not_here;
  }
  single_stepper& slower() override { return dynamic_cast<single_stepper&>(*other_); }

  bool expand(const word* states, std::uint32_t first, std::uint32_t count, successor_buffer& b) override {
    while (count > 0) {
      std::uint32_t at = first;
      const std::uint32_t r = expand_(states, &at, count, &b);
      if (r != 2) return r != 0;
      const std::uint32_t done = at - first;
      if (other_->expand(states + std::size_t{done} * words_, at, 1, b)) return true;
      states += (std::size_t{done} + 1) * words_;
      first = at + 1;
      count -= done + 1;
    }
    return false;
  }
  std::uint64_t failing_invariants(const word* state) override {
    word failing = 0;
    return invariants_(state, &failing) == 0 ? failing : other_->failing_invariants(state);
  }
  void initial(const step_visitor& v) override { other_->initial(v); }
  void initial_recorded(const record_visitor& v) override { other_->initial_recorded(v); }
  void successors(const word* s, const step_visitor& v) override { other_->successors(s, v); }
  void successors_recorded(const word* s, const record_visitor& v) override { other_->successors_recorded(s, v); }
  bool resting(const word* s) override { return other_->resting(s); }
  std::uint32_t words_of_state() const override { return words_; }

 private:
  std::unique_ptr<stepper> other_;
  expand_function expand_;
  invariants_function invariants_;
  steps_of_function steps_of_;
  const std::uint32_t words_;
  std::vector<std::uint32_t> number_;  // of a process's first instance
};

}  // namespace

native_code::native_code(const transition_system& s)
    : system_(s), worker_([this] {
        try {
          load();
        } catch (const std::exception& e) {
          why_ = e.what();
        }
        state_.store(functions_ ? state::ready : state::unavailable, std::memory_order_release);
        state_.notify_all();
      }) {}

native_code::~native_code() {
  compiler_.cancel();
  worker_.join();
}

void native_code::wait() { state_.wait(state::busy); }

void native_code::load() {
  const compiler_identity compiler = find_compiler();
  const auto plain = native_text(system_.program(), system_.state_layout(), "");
  if (!plain) return void(why_ = "the system is too large");
  const std::string key = sha256_hex(*plain + '\0' + native_flags + '\0' + compiler.text);
  const auto cache = native_cache::open();
  if (!cache) return void(why_ = "there is no cache directory");
  int fd = cache->find(key);
  if (fd < 0) {
    if (compiler.path.empty()) return void(why_ = "there is no compiler `c++`");
    why_ = cache->make(key, *native_text(system_.program(), system_.state_layout(), key), compiler.path, compiler_);
    if (!why_.empty()) return;
    fd = cache->find(key);
    cache->prune();
    if (fd < 0) return void(why_ = "the compiled steps cannot be read back");
  }
  auto found = std::make_unique<functions>();
  found->object = dlopen(fmt::format("/proc/self/fd/{}", fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(fd);
  if (!found->object) return void(why_ = "the compiled steps cannot be loaded");
  const auto* own_key = static_cast<const char*>(dlsym(found->object, "quiesce_key"));
  found->expand = reinterpret_cast<decltype(found->expand)>(dlsym(found->object, "quiesce_expand"));
  found->invariants = reinterpret_cast<decltype(found->invariants)>(dlsym(found->object, "quiesce_invariants"));
  found->steps_of = reinterpret_cast<decltype(found->steps_of)>(dlsym(found->object, "quiesce_steps_of"));
  if (!own_key || key != own_key || !found->expand || !found->invariants || !found->steps_of)
    return void(why_ = "the compiled steps are of another system");
  functions_ = std::move(found);
}

std::unique_ptr<stepper> native_code::make_stepper() const {
  return std::make_unique<native_stepper>(system_.make_stepper(), system_.program(), functions_->expand,
                                          functions_->invariants, functions_->steps_of);
}

}  // namespace quiesce
