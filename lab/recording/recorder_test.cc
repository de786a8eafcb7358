#include "lab/recording/recorder.h"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>

#include "common/base/status.h"
#include "common/url/partition.h"
#include "lab/recording/folder_file.h"
#include "lab/recording/recording_check.h"
#include "tests/support/recorded_logs.h"

namespace orbweaver::lab {
namespace {

namespace fs = std::filesystem;

using RecorderTest = RecordedLogs;

TEST_F(RecorderTest, KeepsEveryByteOfEveryRecordAndItsPlace) {
  SendPages(0, 20);
  ASSERT_OK(RecordAll());
  const auto expected = InLog(&bus_, kSpiderLogTopic);
  EXPECT_EQ(expected.size(), 41u);
  EXPECT_EQ(InRecording(kSpiderLogTopic), expected);
}

TEST_F(RecorderTest, AFileThatIsFullIsFollowedByAnother) {
  SendPages(0, 30);
  ASSERT_OK(RecordAll({.file_bytes = 300}));
  EXPECT_GT(FilesInFolder().size(), 5u);
  EXPECT_EQ(InRecording(kSpiderLogTopic), InLog(&bus_, kSpiderLogTopic));
}

TEST_F(RecorderTest, CalledAgainItGoesOnWhereItStood) {
  for (int i = 0; i < 5; ++i) {
    SendPages(10 * i, 10 * i + 7);
    ASSERT_OK(RecordAll());
    ASSERT_OK(RecordAll());
    EXPECT_EQ(InRecording(kSpiderLogTopic), InLog(&bus_, kSpiderLogTopic)) << i;
  }
}

TEST_F(RecorderTest, WhatIsStoppedKeepsWhatItHasAndGoesOn) {
  SendPages(0, 300);
  const auto to = *OpenFolder();
  for (int polls = 0; polls < 3; ++polls) {
    Recorder recorder(to.get(), *suffixes_, {});
    int left = polls;
    ASSERT_OK(recorder.Record(bus_, RangeOf(kSpiderLogTopic, 0), [&] { return left-- > 0; }));
  }
  ASSERT_OK(RecordAll(to.get()));
  EXPECT_EQ(InRecording(kSpiderLogTopic), InLog(&bus_, kSpiderLogTopic));
}

// A process that dies leaves one of few states: for each file of the recording, the file begun, or
// finished and not named by the manifest; the next manifest begun; the next manifest.
TEST_F(RecorderTest, DeadBetweenAnyTwoActionsItLosesAndRepeatsNothing) {
  SendPages(0, 12);
  ASSERT_OK(RecordAll({.file_bytes = 500}));
  const auto expected = InLog(&bus_, kSpiderLogTopic);
  const fs::path whole = scratch_.path() / "whole";
  fs::rename(folder(), whole);
  const Manifest manifest = *ParseManifest(*ReadWholeFile(whole / kManifestName));
  ASSERT_GT(manifest.files.size(), 4u);
  for (size_t named = 0; named <= manifest.files.size(); ++named) {
    for (size_t there = named; there <= std::min(named + 1, manifest.files.size()); ++there) {
      fs::remove_all(folder());
      fs::create_directories(folder());
      Manifest then = manifest;
      then.files.resize(named);
      for (LogRangeOf& range : then.partitions) {
        range.end = range.first;
        for (const RecordedFile& file : then.files) {
          if (file.range.IsOf(range.topic, range.partition)) range.end = file.range.end;
        }
      }
      ASSERT_OK(ReplaceFile(folder() / kManifestName, ManifestText(then)));
      for (size_t i = 0; i < there; ++i) {
        fs::copy(whole / manifest.files[i].Name(), folder());
      }
      std::ofstream(folder() / "spider-log-00001.parquet.open") << "PAR1 and a part of a page";
      std::ofstream(folder() / "manifest.json.open") << "{\"format\":";
      ASSERT_OK(RecordAll({.file_bytes = 500}));
      EXPECT_EQ(InRecording(kSpiderLogTopic), expected) << named << " " << there;
      for (const fs::path& file : FilesInFolder()) EXPECT_NE(file.extension(), ".open");
    }
  }
}

TEST_F(RecorderTest, FilesOfAnotherRecordingAreNotTakenUpThoughTheyWouldGoOnWhereItStands) {
  SendPages(0, 12);
  ASSERT_OK(RecordAll({.file_bytes = 500}));
  const fs::path other = scratch_.path() / "other";
  fs::rename(folder(), other);
  {
    const auto begun = *OpenFolder();
    for (const int32_t p : {0, 1}) {
      LogRangeOf range = RangeOf(kSpiderLogTopic, p);
      ASSERT_OK(begun->Begin({&range, 1}));
    }
  }
  const Manifest foreign = *ParseManifest(*ReadWholeFile(other / kManifestName));
  for (const RecordedFile& file : foreign.files) fs::copy(other / file.Name(), folder());
  ASSERT_OK(RecordAll());
  EXPECT_EQ(InRecording(kSpiderLogTopic), InLog(&bus_, kSpiderLogTopic));
  const auto checked = CheckRecording(**Recording::Open(folder()), [](const RecordedFile&) {});
  ASSERT_OK(checked);
  EXPECT_THAT(checked->damage, ::testing::IsEmpty());
  EXPECT_EQ(checked->strangers.size(), foreign.files.size());
}

TEST_F(RecorderTest, DeadBeforeItsFirstManifestItBeginsAnew) {
  SendPages(0, 3);
  fs::create_directories(folder());
  std::ofstream(folder() / "manifest.json.open") << "{";
  ASSERT_OK(RecordAll());
  EXPECT_EQ(InRecording(kSpiderLogTopic), InLog(&bus_, kSpiderLogTopic));
}

TEST_F(RecorderTest, WhatRetentionDeletedIsAGapThatTheManifestTells) {
  SendPages(0, 10);
  ASSERT_OK(RecordAll());
  SendPages(10, 20);
  const LogRangeOf whole = RangeOf(kSpiderLogTopic, 1);
  const Offset cut(whole.end.value() - 3);
  ASSERT_OK(broker_.CutLog(kSpiderLogTopic, PartitionId(1), cut));
  ASSERT_OK(RecordAll());
  const Manifest manifest = (*Recording::Open(folder()))->manifest();
  ASSERT_EQ(manifest.gaps.size(), 1u);
  EXPECT_EQ(manifest.gaps[0].first, Offset(10));
  EXPECT_EQ(manifest.gaps[0].end, cut);
  const auto kept = InRecording(kSpiderLogTopic);
  EXPECT_EQ(std::ranges::count(kept, 1, &KeptRecord::partition), 13);
}

TEST_F(RecorderTest, AnotherLogIsRefused) {
  SendPages(0, 10);
  ASSERT_OK(RecordAll());
  ASSERT_OK(broker_.MakeAnew(kSpiderLogTopic));
  SendPages(0, 3);
  const absl::Status shorter = RecordAll();
  EXPECT_TRUE(IsFatal(shorter));
  EXPECT_NE(MessageOf(shorter).find("the log ends at offset"), std::string_view::npos) << shorter;
  SendPages(3, 30);
  const absl::Status other = RecordAll();
  EXPECT_TRUE(IsFatal(other));
  EXPECT_NE(MessageOf(other).find("stands another record"), std::string_view::npos) << other;
}

TEST_F(RecorderTest, AFolderHasOneRecorder) {
  const auto first = *OpenFolder();
  const auto second = OpenFolder();
  EXPECT_TRUE(IsFatal(second.status()));
  EXPECT_NE(MessageOf(second.status()).find("another process"), std::string_view::npos);
}

TEST_F(RecorderTest, AFolderOfOtherThingsIsRefused) {
  fs::create_directories(folder());
  std::ofstream(folder() / "thesis.tex") << "text";
  EXPECT_TRUE(IsFatal(OpenFolder().status()));
  EXPECT_EQ(FilesInFolder().size(), 1u);
}

TEST_F(RecorderTest, ASampleHasAllOfADomainOrNothing) {
  for (int i = 0; i < 400; ++i) {
    const std::string domain = "d" + std::to_string(i / 2) + ".example";
    Send(kSpiderLogTopic, i / 2 % kPartitions, domain, "v" + std::to_string(i));
  }
  ASSERT_OK(RecordAll({}, 0.25));
  std::map<std::string, int> records;
  for (const KeptRecord& record : InRecording(kSpiderLogTopic)) ++records[record.key];
  EXPECT_GT(records.size(), 25u);
  EXPECT_LT(records.size(), 80u);
  for (const auto& [domain, count] : records) EXPECT_EQ(count, 2) << domain;
  // All was read, and is not read again.
  const Manifest manifest = (*Recording::Open(folder()))->manifest();
  for (const LogRangeOf& range : manifest.partitions) {
    EXPECT_EQ(range.end, RangeOf(kSpiderLogTopic, range.partition.value()).end);
  }
  const absl::Status other = RecordAll({}, 0.5);
  EXPECT_NE(MessageOf(other).find("25%"), std::string_view::npos) << other;
}

TEST_F(RecorderTest, SamplesOfAllPartitionsAreAlike) {
  int taken[16] = {};
  for (int i = 0; i < 16000; ++i) {
    const std::string domain = "d" + std::to_string(i) + ".example";
    if (IsInSample(domain, 0.1)) ++taken[SlotOf(domain).value() % 16];
  }
  for (const int count : taken) {
    EXPECT_GT(count, 60);
    EXPECT_LT(count, 145);
  }
}

TEST_F(RecorderTest, OnlyWhatWasWrittenInTimeIsTaken) {
  const WallTime begin = clock_.Wall();
  SendPages(0, 10);
  const WallTime since = begin + std::chrono::milliseconds(70);
  ASSERT_OK(RecordAll({.since = since}));
  auto expected = InLog(&bus_, kSpiderLogTopic);
  std::erase_if(expected, [&](const KeptRecord& record) { return record.time < since; });
  EXPECT_EQ(InRecording(kSpiderLogTopic), expected);
  EXPECT_EQ(expected.size(), 11u);
}

TEST_F(RecorderTest, ATopicOfOthersIsRefused) {
  const auto to = *OpenFolder();
  Recorder recorder(to.get(), *suffixes_, {});
  EXPECT_TRUE(IsFatal(recorder.Record(bus_, {.topic = "stats"}, [] { return true; })));
}

}  // namespace
}  // namespace orbweaver::lab
