// A table that opens what the set does not take whatever the arguments are, by the search. What the search found is
// kept for the programs to come: a call of static sizes costs the same in each.
#include "opset/reach.h"

#include <algorithm>
#include <mutex>

#include "opset/search.h"
#include "shape/shape_env.h"

namespace rung {
namespace {

// A search and what it refers to.
struct KeptSearch {
  KeptSearch(const OpSet& set, const DecompositionTable& like) : table(like), search(set, table) {
    table.choose_by(nullptr);  // it would keep the shelf that this lies on
  }
  DecompositionTable table;
  Search search;
};

// Searches that no lowering uses at the moment. The table's copies share it, on any thread.
class Shelf {
 public:
  explicit Shelf(const OpSet& set) : set_(set) { kept_.reserve(kMost); }

  /// One that knows something already, if `may_know`; else a new one.
  std::unique_ptr<KeptSearch> take(const DecompositionTable& table, bool may_know) {
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const auto& kept) { return may_know && kept->table.opens_alike(table); };
    const auto found = std::ranges::find_if(kept_, fits);
    if (found == kept_.end()) return std::make_unique<KeptSearch>(set_, table);
    std::unique_ptr<KeptSearch> taken = std::move(*found);
    kept_.erase(found);
    return taken;
  }

  void give_back(std::unique_ptr<KeptSearch> search) {
    const std::lock_guard lock(mutex_);
    if (kept_.size() == kMost) kept_.erase(kept_.begin());
    kept_.push_back(std::move(search));
  }

 private:
  static constexpr size_t kMost = 16;
  const OpSet set_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<KeptSearch>> kept_;
};

// Chooses by a search that it takes from the shelf and gives back. What a program with symbols asks for depends on what
// is known of them.
class FromShelf final : public RuleChooser {
 public:
  FromShelf(std::shared_ptr<Shelf> shelf, const DecompositionTable& table)
      : shelf_(std::move(shelf)),
        is_static_(!current_shape_env().has_symbols()),
        kept_(shelf_->take(table, is_static_)) {}
  ~FromShelf() override {
    if (is_static_ && kept_->search.forget_program()) shelf_->give_back(std::move(kept_));
  }
  FromShelf(const FromShelf&) = delete;
  FromShelf& operator=(const FromShelf&) = delete;

  const Rule* choose(OpId op, Arguments args) override { return kept_->search.choose(op, args); }
  const Rule* choose_for(int result, OpId op, Arguments args) override {
    return kept_->search.choose_for(result, op, args);
  }

 private:
  std::shared_ptr<Shelf> shelf_;
  bool is_static_;
  std::unique_ptr<KeptSearch> kept_;
};

}  // namespace

DecompositionTable table_for(const OpSet& set) {
  DecompositionTable table(set.name, set.build);
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (!set.accepts_all(op)) table.open(op);
  table.choose_by([shelf = std::make_shared<Shelf>(set)](const DecompositionTable& open) {
    return std::make_unique<FromShelf>(shelf, open);
  });
  return table;
}

}  // namespace rung
