// Public bug reports that no exported program shows; docs/bug-cases.md names these tests.
#include <rung/rung.h>

#include <doctest/doctest.h>

namespace rung {

TEST_CASE("batch norm without running numbers is refused by name") {
  auto evaluate = [](Tensor x) { return std::get<0>(torch::native_batch_norm(x, {}, {}, {}, {}, false, 0.1, 1e-5)); };
  auto message_of = [&](const Input& input) {
    try {
      make_fx(evaluate, {input});
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kInput);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  constexpr std::string_view kMissing = "running_mean is missing, which evaluation (training=False) normalizes by";
  CHECK(message_of(fake({2, 3, 4})).find(kMissing) != std::string::npos);
  CHECK_THROWS_WITH_AS(evaluate(torch::ones({2, 3, 4})), doctest::Contains(kMissing.data()), Error);
}

TEST_CASE("native_dropout without a mode gives a value of its own") {
  auto f = [](Tensor x) {
    Tensor dropped = std::get<0>(torch::native_dropout(x, 0.5, std::nullopt));
    return std::tuple(dropped, x * 3);
  };
  const std::string code = make_fx(f, {fake({6}).named("x")}).code();
  CHECK(code.find("mul = torch.ops.aten.mul.Tensor(x_1, 3)") != code.npos);
}

}  // namespace rung
