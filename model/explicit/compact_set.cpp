// SPDX-License-Identifier: MIT
#include "model/explicit/compact_set.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "model/explicit/state_hash.hpp"

namespace quiesce {

namespace {

constexpr std::uint32_t tag_bits = 8, most_shard_bits = 8;
constexpr std::size_t slack = 16;  // bytes behind packed bits, so that words can be read there

word low_bits(std::uint32_t n) { return n >= 64 ? ~word{0} : (word{1} << n) - 1; }

// `n` <= 56 bits from bit `at`.
word get_bits(const std::uint8_t* from, std::uint64_t at, std::uint32_t n) {
  word w;
  std::memcpy(&w, from + at / 8, sizeof w);
  return w >> (at % 8) & low_bits(n);
}

void put_bits(std::uint8_t* to, std::uint64_t at, std::uint32_t n, word value) {
  word w;
  std::memcpy(&w, to + at / 8, sizeof w);
  w = (w & ~(low_bits(n) << (at % 8))) | (value << (at % 8));
  std::memcpy(to + at / 8, &w, sizeof w);
}

// Appends `n` <= 64 bits to a string of bits in words.
void append(word* to, std::uint32_t& at, std::uint32_t n, word value) {
  if (n == 0) return;
  to[at / 64] |= value << (at % 64);
  if (at % 64 + n > 64) to[at / 64 + 1] |= value >> (64 - at % 64);
  at += n;
}

// `n` <= 56 bits of a string in words, from bit `at`.
word part(const word* from, std::uint32_t at, std::uint32_t n) {
  word w = from[at / 64] >> (at % 64);
  if (at % 64 + n > 64) w |= from[at / 64 + 1] << (64 - at % 64);
  return w & low_bits(n);
}

}  // namespace

std::vector<std::uint32_t> used_bits(const layout& l) {
  std::vector<std::uint32_t> out(l.words(), 0);
  for (const slot& s : l.slots()) out[s.index] = std::max<std::uint32_t>(out[s.index], s.shift + s.bits);
  return out;
}

quotient_set::quotient_set(std::vector<std::uint32_t> used)
    : used_(std::move(used)), mixed_(used_.size()), entry_(used_.size() + 3) {
  shard_bits_ = std::min(most_shard_bits, used_[0]);
  key_bits_ = used_[0] - shard_bits_;
  for (std::size_t w = 1; w < used_.size(); ++w) rest_bits_ += used_[w];
  shards_.resize(std::size_t{1} << shard_bits_);
  for (shard& s : shards_) shape(s, 1);
}

void quotient_set::shape(shard& s, std::uint64_t buckets) const {
  s.buckets = buckets;
  s.used = 0;
  const word greatest = key_bits_ == 0 ? 0 : low_bits(key_bits_) / buckets;
  s.rest_of_key = std::min<std::uint32_t>(key_bits_, static_cast<std::uint32_t>(std::bit_width(greatest)));
  const std::uint32_t stored = entry_bits(s) > tag_bits ? entry_bits(s) - tag_bits : 0;
  s.counts.assign(buckets, 0);
  s.tags.assign(buckets * slots, 0);
  s.bits.assign(buckets * stored * (slots / 8) + slack, 0);
  s.counts.shrink_to_fit();
  s.tags.shrink_to_fit();
  s.bits.shrink_to_fit();
  s.beside.clear();
  s.beside_used = 0;
}

// A bijection on states: word 0 gets mixed with what the others say, the others stay.
void quotient_set::mix(const word* state, word* into) const {
  word h = 0x2545f4914f6cdd1du;
  for (std::size_t w = 1; w < used_.size(); ++w) {
    into[w] = state[w];
    h = fold(h ^ state[w], 0xa0761d6478bd642fu) + 0xe7037ed1a0b428dbu;
  }
  const word mask = low_bits(used_[0]);
  const std::uint32_t half = std::max<std::uint32_t>(1, (used_[0] + 1) / 2);
  word x = (state[0] ^ h) & mask;
  x = x * 0x9e3779b97f4a7c15u & mask;
  x ^= x >> half;
  x = x * 0xd6e8feb86659fd93u & mask;
  x ^= x >> half;
  into[0] = x * 0x8ebc6af09c88c6e3u & mask;
}

bool quotient_set::insert(const word* state) {
  mix(state, mixed_.data());
  shard& s = shards_[key_bits_ >= 64 ? 0 : mixed_[0] >> key_bits_];
  mixed_[0] &= low_bits(key_bits_);
  if (!put(s, mixed_.data())) return false;
  ++size_;
  if (s.used * 100 > s.buckets * slots * 93) grow(s);
  return true;
}

void quotient_set::encode(const word* mixed, std::uint64_t rest_of_key, const shard& s, word* entry) const {
  std::fill_n(entry, used_.size() + 3, 0);
  std::uint32_t at = 0;
  append(entry, at, s.rest_of_key, rest_of_key);
  for (std::size_t w = 1; w < used_.size(); ++w) append(entry, at, used_[w], mixed[w]);
}

bool quotient_set::same(const shard& s, std::uint64_t bucket, std::uint32_t slot, const word* entry) const {
  const std::uint32_t all = entry_bits(s);
  if (all <= tag_bits) return true;
  std::uint64_t at = (bucket * slots + slot) * (all - tag_bits);
  for (std::uint32_t i = tag_bits; i < all;) {
    const std::uint32_t n = std::min(56u, all - i);
    if (get_bits(s.bits.data(), at, n) != part(entry, i, n)) return false;
    at += n;
    i += n;
  }
  return true;
}

// Bucket and stored rest of a key y of k bits: y n = bucket 2^k + p, rest = p / n.
bool quotient_set::put(shard& s, const word* mixed) {
  const unsigned __int128 product = static_cast<unsigned __int128>(mixed[0]) * s.buckets;
  const auto bucket = static_cast<std::uint64_t>(product >> key_bits_);
  encode(mixed, (static_cast<std::uint64_t>(product) & low_bits(key_bits_)) / s.buckets, s, entry_.data());
  const auto tag = static_cast<std::uint8_t>(entry_[0]);
  const std::uint8_t* tags = &s.tags[bucket * slots];
  std::uint32_t count = s.counts[bucket];
  for (std::uint32_t i = 0; i < count; ++i)
    if (tags[i] == tag && same(s, bucket, i, entry_.data())) return false;
  if (count == slots) {
    if (!put_beside(s, mixed)) return false;
    ++s.used;
    return true;
  }
  const std::uint32_t all = entry_bits(s);
  s.tags[bucket * slots + count] = tag;
  std::uint64_t at = (bucket * slots + count) * (all > tag_bits ? all - tag_bits : 0);
  for (std::uint32_t i = tag_bits; i < all;) {
    const std::uint32_t n = std::min(56u, all - i);
    put_bits(s.bits.data(), at, n, part(entry_.data(), i, n));
    at += n;
    i += n;
  }
  ++s.counts[bucket];
  ++s.used;
  return true;
}

bool quotient_set::put_beside(shard& s, const word* mixed) {
  const std::size_t words = used_.size();
  const auto find = [&](const word* m) {
    const std::size_t n = s.beside.size() / words;
    auto i = static_cast<std::size_t>(
        static_cast<unsigned __int128>(hash_state<0>(m, static_cast<std::uint32_t>(words))) * n >> 64);
    while (s.beside[i * words] != ~word{0} && !std::equal(m, m + words, &s.beside[i * words])) i = i + 1 == n ? 0 : i + 1;
    return &s.beside[i * words];
  };
  if (s.beside_used * words * 10 >= s.beside.size() * 8) {
    std::vector<word> old((s.beside.size() / words * 5 / 4 + 4) * words, ~word{0});
    old.swap(s.beside);
    for (std::size_t i = 0; i < old.size(); i += words)
      if (old[i] != ~word{0}) std::copy_n(&old[i], words, find(&old[i]));
  }
  word* at = find(mixed);
  if (*at != ~word{0}) return false;
  std::copy_n(mixed, words, at);
  ++s.beside_used;
  return true;
}

void quotient_set::grow(shard& s) {
  shard bigger;
  shape(bigger, s.buckets + s.buckets / 7 + 1);
  std::vector<word> mixed(used_.size()), entry(used_.size() + 3);
  const std::uint32_t all = entry_bits(s);
  for (std::uint64_t b = 0; b < s.buckets; ++b) {
    const auto first = static_cast<word>(((static_cast<unsigned __int128>(b) << key_bits_) + s.buckets - 1) / s.buckets);
    for (std::uint32_t i = 0; i < s.counts[b]; ++i) {
      std::fill(entry.begin(), entry.end(), 0);
      std::uint32_t to = 0;
      append(entry.data(), to, tag_bits, s.tags[b * slots + i]);
      std::uint64_t at = (b * slots + i) * (all > tag_bits ? all - tag_bits : 0);
      while (to < all) {
        const std::uint32_t n = std::min(56u, all - to);
        append(entry.data(), to, n, get_bits(s.bits.data(), at, n));
        at += n;
      }
      std::uint32_t from = 0;
      const auto take = [&](std::uint32_t n) {
        word w = part(entry.data(), from, std::min(n, 32u));
        if (n > 32) w |= part(entry.data(), from + 32, n - 32) << 32;
        from += n;
        return w;
      };
      mixed[0] = first + take(s.rest_of_key);
      for (std::size_t w = 1; w < used_.size(); ++w) mixed[w] = take(used_[w]);
      put(bigger, mixed.data());
    }
  }
  for (std::size_t i = 0; i < s.beside.size(); i += used_.size())
    if (s.beside[i] != ~word{0}) put(bigger, &s.beside[i]);
  s = std::move(bigger);
}

std::uint64_t quotient_set::memory_bytes() const {
  std::uint64_t out = 0;
  for (const shard& s : shards_)
    out += s.counts.capacity() + s.tags.capacity() + s.bits.capacity() + s.beside.capacity() * sizeof(word);
  return out;
}

hash_set::hash_set(std::uint32_t words) : words_(words), shards_(1024) {
  for (shard& s : shards_) s.at.assign(16, 0);
}

bool hash_set::insert(const word* state) {
  const std::uint64_t h = std::max<std::uint64_t>(1, hash_state<0>(state, words_));
  shard& s = shards_[h >> 54];
  const auto place = [](const shard& x, std::uint64_t hash) {
    return static_cast<std::size_t>(static_cast<unsigned __int128>(hash << 10) * x.at.size() >> 64);
  };
  std::size_t i = place(s, h);
  for (; s.at[i] != 0; i = i + 1 == s.at.size() ? 0 : i + 1)
    if (s.at[i] == h) return false;
  s.at[i] = h;
  ++size_;
  if (++s.used * 100 > s.at.size() * 85) grow(s);
  return true;
}

void hash_set::grow(shard& s) {
  std::vector<std::uint64_t> old(s.at.size() + s.at.size() / 3 + 1, 0);
  old.swap(s.at);
  for (std::uint64_t h : old) {
    if (h == 0) continue;
    auto i = static_cast<std::size_t>(static_cast<unsigned __int128>(h << 10) * s.at.size() >> 64);
    while (s.at[i] != 0) i = i + 1 == s.at.size() ? 0 : i + 1;
    s.at[i] = h;
  }
}

std::uint64_t hash_set::memory_bytes() const {
  std::uint64_t out = 0;
  for (const shard& s : shards_) out += s.at.capacity() * sizeof(std::uint64_t);
  return out;
}

double hash_set::omission_probability() const {
  return std::min(1.0, std::ldexp(static_cast<double>(size_) * static_cast<double>(size_), -65));
}

}  // namespace quiesce
