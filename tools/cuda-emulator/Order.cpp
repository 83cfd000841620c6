//===- Order.cpp - Which code lanes that are apart run first --------------===//
//
// What lies between a branch and where all its ways meet again comes before
// that place, wherever LLVM put it: as on a chip, whose compiler lets lanes
// wait there for others.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include <algorithm>
#include <functional>
#include <map>

using namespace emulator;

namespace {
/// Code without a branch in it or a label but its first.
struct Piece {
  size_t begin, end;
  /// Whether some lanes end here.
  bool exits;
  std::vector<size_t> next;
  /// The first piece that all ways from here to the end come through.
  size_t meeting = 0;
};
} // namespace

static std::vector<Piece> cut(const std::vector<Instruction> &code) {
  std::vector<Piece> pieces;
  std::map<size_t, size_t> startingAt;
  for (size_t begin = 0; begin < code.size();) {
    size_t end = begin + 1;
    auto isLast = [](const Instruction &now) {
      return now.kind == Instruction::Branch || now.kind == Instruction::Exit;
    };
    while (end < code.size() && !isLast(code[end - 1]) &&
           code[end].kind != Instruction::Join)
      ++end;
    startingAt[begin] = pieces.size();
    bool exits = code[end - 1].kind == Instruction::Exit;
    pieces.push_back({begin, end, exits, {}});
    begin = end;
  }
  for (Piece &piece : pieces) {
    const Instruction &last = code[piece.end - 1];
    bool isBranch = last.kind == Instruction::Branch;
    if (isBranch)
      piece.next.push_back(startingAt[last.number]);
    bool isLeft = isBranch || piece.exits;
    if ((!isLeft || last.isGuarded) && piece.end < code.size())
      piece.next.push_back(startingAt[piece.end]);
  }
  return pieces;
}

/// Sets where ways meet: the end, number `pieces.size()`, for those that do not
/// before. What each way comes through is found by going round until nothing
/// changes.
static void findMeetings(std::vector<Piece> &pieces) {
  const size_t end = pieces.size();
  std::vector<std::vector<bool>> through(end + 1,
                                         std::vector<bool>(end + 1, true));
  through[end].assign(end + 1, false);
  through[end][end] = true;
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t number = end; number-- > 0;) {
      std::vector<bool> all =
          pieces[number].exits ? through[end] : through[number];
      for (size_t next : pieces[number].next)
        for (size_t other = 0; other <= end; ++other)
          all[other] = all[other] && through[next][other];
      all[number] = true;
      changes |= all != through[number];
      through[number] = std::move(all);
    }
  }
  // Of what all ways come through, the nearest comes through all the others.
  std::vector<size_t> counts;
  counts.reserve(through.size());
  for (const std::vector<bool> &all : through)
    counts.push_back(std::count(all.begin(), all.end(), true));
  for (size_t number = 0; number < end; ++number) {
    size_t most = 0;
    pieces[number].meeting = end;
    for (size_t other = 0; other < end; ++other) {
      if (other == number || !through[number][other])
        continue;
      if (counts[other] > most)
        pieces[number].meeting = other;
      most = std::max(most, counts[other]);
    }
  }
}

void Kernel::orderPlaces() {
  std::vector<Piece> pieces = cut(code);
  findMeetings(pieces);
  std::vector<size_t> last;
  std::vector<bool> isSeen(pieces.size());
  std::function<void(size_t)> visit = [&](size_t number) {
    isSeen[number] = true;
    const Piece &piece = pieces[number];
    // What is seen first comes last.
    for (bool isMeeting : {true, false})
      for (size_t next : piece.next)
        if ((next == piece.meeting) == isMeeting && !isSeen[next])
          visit(next);
    last.push_back(number);
  };
  order.resize(code.size());
  if (!pieces.empty())
    visit(0);
  uint32_t place = 0;
  for (size_t i = last.size(); i-- > 0;)
    for (size_t at = pieces[last[i]].begin; at < pieces[last[i]].end; ++at)
      order[at] = place++;
}
