// SPDX-License-Identifier: MIT
#include "model/verdict/hash.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

namespace quiesce {

std::string sha256(const std::vector<std::pair<std::string, std::string>>& parts) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool good = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const auto& [label, text] : parts) {
    const std::string head = fmt::format("{} {}\n", label, text.size());
    good = good && EVP_DigestUpdate(context.get(), head.data(), head.size()) == 1;
    good = good && EVP_DigestUpdate(context.get(), text.data(), text.size()) == 1;
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  good = good && EVP_DigestFinal_ex(context.get(), digest, &size) == 1;
  if (!good) throw std::runtime_error("SHA-256 is not available");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace quiesce
