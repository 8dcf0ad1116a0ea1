// SPDX-License-Identifier: MIT
#include "model/explicit/quotient_set.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "model/explicit/state_hash.hpp"

namespace quiesce {

namespace {

using wide = unsigned __int128;

constexpr std::size_t large_block = std::size_t{2} << 20, small_block = std::size_t{1} << 18,
                      small_chunk = std::size_t{1} << 13, slack = 16;
constexpr std::uint32_t reciprocal_bits = 40;
constexpr double growth = 1.09, fullest = 0.96;

word low_bits(std::uint32_t n) { return n >= 64 ? ~word{0} : (word{1} << n) - 1; }

// `n` <= 64 bits from bit `at`. Reads 16 bytes.
word get_bits(const std::uint8_t* from, std::uint64_t at, std::uint32_t n) {
  wide w;
  std::memcpy(&w, from + at / 8, sizeof w);
  return static_cast<word>(w >> (at % 8)) & low_bits(n);
}

void put_bits(std::uint8_t* to, std::uint64_t at, std::uint32_t n, word value) {
  wide w;
  std::memcpy(&w, to + at / 8, sizeof w);
  w = (w & ~(wide{low_bits(n)} << (at % 8))) | (wide{value} << (at % 8));
  std::memcpy(to + at / 8, &w, sizeof w);
}

// Behind the last bits that were put: what follows up to the next byte is free. `n`: 57 to 121 bits; no byte beyond is
// written.
void append_bits(std::uint8_t* to, std::uint64_t at, std::uint32_t n, wide value) {
  to += at / 8;
  const std::uint32_t shift = at % 8, bytes = (shift + n + 7) / 8;
  const wide w = value << shift | (*to & low_bits(shift));
  const auto first = static_cast<word>(w), last = static_cast<word>(w >> (8 * (bytes - 8)));
  std::memcpy(to + bytes - 8, &last, 8);
  std::memcpy(to, &first, 8);
}

// Bit i: byte i of a bucket's first 64 is `tag`.
std::uint64_t equal_bytes(const std::uint8_t* from, std::uint8_t tag) {
  std::uint64_t out = 0;
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
  for (int i = 0; i < 4; ++i) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16 * i));
    out |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, wanted)))} << (16 * i);
  }
#else
  for (int i = 0; i < 64; ++i) out |= std::uint64_t{from[i] == tag} << i;
#endif
  return out;
}

}  // namespace

std::vector<std::uint32_t> used_bits(const layout& l) {
  std::vector<std::uint32_t> out(l.words(), 0);
  for (const slot& s : l.slots()) out[s.index] = std::max<std::uint32_t>(out[s.index], s.shift + s.bits);
  return out;
}

chunk_pool::chunk_pool(std::size_t bytes) : bytes_(bytes) {}

std::uint8_t* chunk_pool::take() {
  if (!free_.empty()) {
    std::uint8_t* chunk = free_.back();
    free_.pop_back();
    return chunk;
  }
  if (left_ == 0) {
    const bool large = total_ >= 16 * large_block;  // so that what is not in use does not count
    const std::size_t n = std::max(large ? large_block : small_block, bytes_);
    blocks_.push_back(std::make_unique<huge_block>(n, large));
    total_ += n;
    left_ = n / bytes_;
  }
  return static_cast<std::uint8_t*>(blocks_.back()->data()) + --left_ * bytes_;
}

quotient_set::quotient_set(std::vector<std::uint32_t> used) : used_(std::move(used)), mixed_(used_.size() * batch) {
  key_bits_ = used_[0] > part_bits ? used_[0] - part_bits : 0;
  for (std::size_t w = 1; w < used_.size(); ++w) rest_bits_ += used_[w];
  const std::size_t largest = 64 + (std::size_t{slots} * (key_bits_ + rest_bits_) + 7) / 8;
  pool_ = std::make_unique<chunk_pool>(std::max(small_chunk, std::bit_ceil(4 * largest + slack)));
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    part& p = parts_[i];
    p.target = std::pow(growth, static_cast<double>(i) / static_cast<double>(parts_.size()));
    p.buckets = 1;
    shape(p);
    need_chunk(p, 0);
  }
}

// What follows from the number of buckets.
void quotient_set::shape(part& p) const {
  const word greatest = key_bits_ == 0 ? 0 : low_bits(key_bits_) / p.buckets;
  p.rest_of_key = std::min<std::uint32_t>(key_bits_, static_cast<std::uint32_t>(std::bit_width(greatest)));
  p.stored_of_key = p.rest_of_key > tag_bits ? p.rest_of_key - tag_bits : 0;
  std::uint32_t best = 0;
  for (std::uint32_t n = slots; n >= slots - 15; --n) {  // of the sizes of a bucket the one that fills a chunk
    const std::uint32_t bytes = 64 + (n * (p.stored_of_key + rest_bits_) + 7) / 8;
    const auto in_chunk = static_cast<std::uint32_t>((pool_->chunk_bytes() - slack) / bytes);
    if (n * in_chunk <= best) continue;
    best = n * in_chunk;
    p.bucket_slots = n;
    p.bucket_bytes = bytes;
    p.in_chunk = in_chunk;
  }
  p.reciprocal = ((std::uint64_t{1} << reciprocal_bits) + p.in_chunk - 1) / p.in_chunk;
  p.enough = static_cast<std::uint64_t>(static_cast<double>(p.buckets) * p.bucket_slots * fullest);
}

std::uint8_t* quotient_set::bucket(const part& p, std::uint32_t number) const {
  const auto chunk = static_cast<std::uint32_t>(static_cast<wide>(number) * p.reciprocal >> reciprocal_bits);
  return p.chunks[chunk] + std::size_t{number - chunk * p.in_chunk} * p.bucket_bytes;
}

// That of this bucket and all before it.
void quotient_set::need_chunk(part& p, std::uint32_t number) {
  while (p.chunks.size() <= number / p.in_chunk) {
    std::uint8_t* chunk = pool_->take();
    for (std::uint32_t b = 0; b < p.in_chunk; ++b) chunk[std::size_t{b} * p.bucket_bytes] = 0;
    p.chunks.push_back(chunk);
  }
}

// Bucket and stored rest of a key y of k bits: y n = bucket 2^k + p, rest = p / n.
quotient_set::place quotient_set::find(part& p, word key) const {
  const wide product = static_cast<wide>(key) * p.buckets;
  const auto number = static_cast<std::uint32_t>(product >> key_bits_);
  return {&p, bucket(p, number), (static_cast<word>(product) & low_bits(key_bits_)) / p.buckets};
}

// A bijection on states: word 0 gets mixed with what the others say, the others stay.
template <std::uint32_t W>
void quotient_set::mix(const word* state, word* into) const {
  const auto words = W ? W : static_cast<std::uint32_t>(used_.size());
  word h = 0x2545f4914f6cdd1du;
  for (std::uint32_t w = 1; w < words; ++w) {
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

void quotient_set::insert_many(const word* states, std::uint32_t count, bool* fresh) {
  with_width(used_.size(), [&](auto w) { insert_all<w()>(states, count, fresh); });
}

template <std::uint32_t W>
void quotient_set::insert_all(const word* states, std::uint32_t count, bool* fresh) {
  for (std::uint32_t from = 0; from < count; from += batch)
    some<W>(states + from * used_.size(), std::min(batch, count - from), fresh + from);
}

// Three passes, so that what one needs from memory has been fetched during the one before: a bucket's tags; the state that
// seems to be the same, or the free place.
template <std::uint32_t W>
void quotient_set::some(const word* states, std::uint32_t count, bool* fresh) {
  const std::size_t words = W ? W : used_.size();
  for (std::uint32_t k = 0; k < count; ++k) {
    word* m = &mixed_[k * words];
    mix<W>(states + k * words, m);
    places_[k] = find(parts_[m[0] >> key_bits_], m[0] & low_bits(key_bits_));
    m[0] &= low_bits(key_bits_);
    __builtin_prefetch(places_[k].bucket);
    __builtin_prefetch(places_[k].bucket + 63);
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    const place& at = places_[k];
    const std::uint32_t used = at.bucket[0];
    const std::uint64_t equal = equal_bytes(at.bucket, static_cast<std::uint8_t>(at.rest)) >> 1 & low_bits(used);
    const auto slot = equal ? static_cast<std::uint32_t>(std::countr_zero(equal)) : std::min(used, at.in->bucket_slots - 1);
    const std::uint8_t* bits = at.bucket + 64 + std::size_t{slot} * (at.in->stored_of_key + rest_bits_) / 8;
    if (used == at.in->bucket_slots && !at.in->beside.empty())
      __builtin_prefetch(&at.in->beside[beside_home(*at.in, &mixed_[k * words])]);
    __builtin_prefetch(bits, 1);
    __builtin_prefetch(bits + (at.in->stored_of_key + rest_bits_) / 8, 1);
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    word* m = &mixed_[k * words];
    part& p = *places_[k].in;
    fresh[k] = put<W>(places_[k], m);
    if (!fresh[k]) continue;
    ++size_;
    if (++p.used <= p.enough) continue;
    grow<W>(p);
    for (std::uint32_t later = k + 1; later < count; ++later)
      if (places_[later].in == &p) places_[later] = find(p, mixed_[later * words]);
  }
}

template <std::uint32_t W>
bool quotient_set::same(const place& at, std::uint32_t slot, const word* mixed) const {
  const std::uint32_t words = W ? W : static_cast<std::uint32_t>(used_.size()), of_key = at.in->stored_of_key;
  const std::uint8_t* bits = at.bucket + 64;
  std::uint64_t i = std::uint64_t{slot} * (of_key + rest_bits_);
  if (get_bits(bits, i, of_key) != at.rest >> tag_bits) return false;
  i += of_key;
  for (std::uint32_t w = 1; w < words; i += used_[w++])
    if (get_bits(bits, i, used_[w]) != mixed[w]) return false;
  return true;
}

template <std::uint32_t W>
void quotient_set::write(const place& at, std::uint32_t slot, const word* mixed) {
  const std::uint32_t words = W ? W : static_cast<std::uint32_t>(used_.size()), of_key = at.in->stored_of_key;
  std::uint8_t* bits = at.bucket + 64;
  std::uint64_t i = std::uint64_t{slot} * (of_key + rest_bits_);
  at.bucket[1 + slot] = static_cast<std::uint8_t>(at.rest);
  if (W == 2 && rest_bits_ + of_key >= 57 && rest_bits_ + of_key <= 120)
    return append_bits(bits, i, rest_bits_ + of_key, static_cast<wide>(mixed[1]) << of_key | at.rest >> tag_bits);
  put_bits(bits, i, of_key, at.rest >> tag_bits);
  i += of_key;
  for (std::uint32_t w = 1; w < words; i += used_[w++]) put_bits(bits, i, used_[w], mixed[w]);
}

template <std::uint32_t W>
bool quotient_set::put(const place& at, const word* mixed) {
  const std::uint32_t used = at.bucket[0];
  std::uint64_t equal = equal_bytes(at.bucket, static_cast<std::uint8_t>(at.rest)) >> 1 & low_bits(used);
  for (; equal; equal &= equal - 1)
    if (same<W>(at, static_cast<std::uint32_t>(std::countr_zero(equal)), mixed)) return false;
  return append<W>(at, mixed);
}

// A state that is not in the bucket. False: it is beside it.
template <std::uint32_t W>
bool quotient_set::append(const place& at, const word* mixed) {
  const std::uint32_t used = at.bucket[0];
  if (used == at.in->bucket_slots) return put_beside(*at.in, mixed);
  write<W>(at, used, mixed);
  ++at.bucket[0];
  return true;
}

// Where the search for a state among those beside begins.
std::size_t quotient_set::beside_home(const part& p, const word* mixed) const {
  const std::size_t words = used_.size();
  const std::uint64_t h = hash_state<0>(mixed, static_cast<std::uint32_t>(words));
  return static_cast<std::size_t>(static_cast<wide>(h) * (p.beside.size() / words) >> 64) * words;
}

bool quotient_set::put_beside(part& p, const word* mixed) {
  const std::size_t words = used_.size();
  const auto find = [&](const word* m) {
    std::size_t i = beside_home(p, m);
    while (p.beside[i] != ~word{0} && !same_state<0>(m, &p.beside[i], static_cast<std::uint32_t>(words)))
      i = i + words == p.beside.size() ? 0 : i + words;
    return &p.beside[i];
  };
  if (p.beside_used * words * 3 >= p.beside.size() * 2) {
    std::vector<word> old((p.beside.size() / words * 5 / 4 + 4) * words, ~word{0});
    old.swap(p.beside);
    for (std::size_t i = 0; i < old.size(); i += words)
      if (old[i] != ~word{0}) std::copy_n(&old[i], words, find(&old[i]));
  }
  word* at = find(mixed);
  if (*at != ~word{0}) return false;
  std::copy_n(mixed, words, at);
  ++p.beside_used;
  return true;
}

template <std::uint32_t W>
void quotient_set::grow(part& p) {
  const std::uint32_t words = W ? W : static_cast<std::uint32_t>(used_.size());
  part old;
  std::swap(old, p);
  p.used = old.used;
  for (p.target = old.target; p.buckets <= old.buckets; p.target *= growth)
    p.buckets = static_cast<std::uint32_t>(std::ceil(p.target));
  shape(p);
  std::vector<word> mixed(words);
  const auto put_again = [&](const word* m) {
    need_chunk(p, static_cast<std::uint32_t>(static_cast<wide>(m[0]) * p.buckets >> key_bits_));
    append<W>(find(p, m[0]), m);
  };
  for (std::uint32_t b = 0; b < old.buckets; ++b) {
    const auto first = static_cast<word>(((static_cast<wide>(b) << key_bits_) + old.buckets - 1) / old.buckets);
    const std::uint8_t* from = bucket(old, b);
    std::uint64_t i = 0;
    for (std::uint32_t k = 0; k < from[0]; ++k) {
      mixed[0] = first + (get_bits(from + 64, i, old.stored_of_key) << tag_bits | from[1 + k]);
      i += old.stored_of_key;
      for (std::uint32_t w = 1; w < words; i += used_[w++]) mixed[w] = get_bits(from + 64, i, used_[w]);
      put_again(mixed.data());
    }
    const bool last_of_chunk = (b + 1) % old.in_chunk == 0 || b + 1 == old.buckets;
    if (last_of_chunk) pool_->give(old.chunks[b / old.in_chunk]);
  }
  need_chunk(p, p.buckets - 1);
  for (std::size_t i = 0; i < old.beside.size(); i += words)
    if (old.beside[i] != ~word{0}) put_again(&old.beside[i]);
}

std::uint64_t quotient_set::memory_bytes() const {
  std::uint64_t out = pool_->memory_bytes();
  for (const part& p : parts_) out += p.chunks.capacity() * sizeof(p.chunks[0]) + p.beside.capacity() * sizeof(word);
  return out;
}

}  // namespace quiesce
