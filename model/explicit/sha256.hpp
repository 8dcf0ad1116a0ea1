// SPDX-License-Identifier: MIT
#pragma once
// SHA-256 (FIPS 180-4), by OpenSSL. Throws std::runtime_error where OpenSSL has none.

#include <array>
#include <string>
#include <string_view>

namespace quiesce {

using sha256_digest = std::array<unsigned char, 32>;

sha256_digest sha256_of(std::string_view bytes);
std::string hexadecimal(const sha256_digest&);
std::string sha256_hex(std::string_view bytes);

}  // namespace quiesce
