// SPDX-License-Identifier: MIT
#include "model/explicit/sha256.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <iterator>
#include <stdexcept>

namespace quiesce {

namespace {

// No configuration file is read for it and no list of names is made: that takes longer than many a search.
void need_openssl() {
  constexpr std::uint64_t no_more = OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS |
                                    OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS |
                                    OPENSSL_INIT_NO_ATEXIT;
  static const int ready = OPENSSL_init_crypto(no_more, nullptr);
  static_cast<void>(ready);
}

}  // namespace

sha256_digest sha256_of(std::string_view bytes) {
  need_openssl();
  sha256_digest out{};
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  return out;
}

std::string hexadecimal(const sha256_digest& d) {
  std::string out;
  for (const unsigned char c : d) fmt::format_to(std::back_inserter(out), "{:02x}", c);
  return out;
}

std::string sha256_hex(std::string_view bytes) { return hexadecimal(sha256_of(bytes)); }

}  // namespace quiesce
