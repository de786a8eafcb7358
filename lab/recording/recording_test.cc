#include "lab/recording/recording.h"

#include <algorithm>
#include <fstream>

#include "common/base/status.h"
#include "common/model/scoring_log.h"
#include "lab/recording/folder_file.h"
#include "lab/recording/recording_check.h"
#include "lab/recording/recording_stats.h"
#include "tests/support/recorded_logs.h"

namespace orbweaver::lab {
namespace {

namespace fs = std::filesystem;

class RecordingTest : public RecordedLogs {
 protected:
  // Several files; the victim is one in the middle of partition 0.
  void Record() {
    SendPages(0, 12);
    ASSERT_OK(RecordAll({.file_bytes = 300}));
    const auto files = (*Recording::Open(folder()))->manifest().FilesOf(kSpiderLogTopic, {});
    ASSERT_GT(files.size(), 2u);
    victim_ = files[1];
    path_ = folder() / victim_.Name();
    bytes_ = *ReadWholeFile(path_);
  }

  CheckedRecording Check() {
    const auto checked = CheckRecording(**Recording::Open(folder()), [](const RecordedFile&) {});
    EXPECT_OK(checked.status());
    return *checked;
  }

  // The first error that a reader of records meets.
  absl::Status ReadError() {
    const auto reader = (*Recording::Open(folder()))->Read(kSpiderLogTopic, PartitionId(0));
    Message message;
    while (true) {
      const auto is_there = reader->Next(&message);
      if (!is_there.ok()) return is_there.status();
      if (!*is_there) return absl::OkStatus();
    }
  }

  void ExpectNamedAndLeftOut(std::string_view why) {
    const absl::Status error = ReadError();
    EXPECT_TRUE(IsPoison(error)) << error;
    EXPECT_NE(MessageOf(error).find(victim_.Name()), std::string_view::npos) << error;
    EXPECT_NE(MessageOf(error).find(why), std::string_view::npos) << error;
    const CheckedRecording checked = Check();
    ASSERT_EQ(checked.damage.size(), 1u);
    EXPECT_EQ(checked.damage[0], MessageOf(error));
    auto expected = InLog(&bus_, kSpiderLogTopic);
    std::erase_if(expected, [this](const KeptRecord& record) {
      return record.partition == 0 && record.offset >= victim_.range.first.value() &&
             record.offset < victim_.range.end.value();
    });
    LeftOut left_out;
    EXPECT_EQ(InRecording(kSpiderLogTopic, /*skip_damaged=*/true, &left_out), expected);
    EXPECT_EQ(left_out.files, 1u);
    EXPECT_EQ(left_out.records, victim_.records);
  }

  void Write(std::string_view bytes) { ASSERT_OK(ReplaceFile(path_, bytes)); }

  RecordedFile victim_;
  fs::path path_;
  std::string bytes_;
};

TEST_F(RecordingTest, AWholeOneIsFoundWhole) {
  Record();
  const CheckedRecording checked = Check();
  EXPECT_TRUE(checked.damage.empty());
  EXPECT_TRUE(checked.strangers.empty());
  EXPECT_EQ(checked.records, 25u);
}

TEST_F(RecordingTest, AChangedByteIsFoundWhereverItIs) {
  Record();
  for (size_t at = 0; at < bytes_.size(); at += bytes_.size() / 40) {
    std::string changed = bytes_;
    changed[at] ^= 4;
    Write(changed);
    const CheckedRecording checked = Check();
    EXPECT_EQ(checked.damage.size(), 1u) << at;
  }
  ExpectNamedAndLeftOut("checksum");
}

TEST_F(RecordingTest, ATruncatedFileIsFoundAtWhateverLength) {
  Record();
  for (size_t size = 0; size < bytes_.size(); size += bytes_.size() / 20) {
    Write(bytes_.substr(0, size));
    EXPECT_EQ(Check().damage.size(), 1u) << size;
  }
  ExpectNamedAndLeftOut("bytes, and the manifest says");
}

TEST_F(RecordingTest, AMissingFileIsFound) {
  Record();
  fs::remove(path_);
  ExpectNamedAndLeftOut("missing");
}

TEST_F(RecordingTest, AnotherFileInItsPlaceIsFound) {
  Record();
  const auto files = (*Recording::Open(folder()))->manifest().FilesOf(kSpiderLogTopic, {});
  Write(*ReadWholeFile(folder() / files[0].Name()));
  ExpectNamedAndLeftOut("");
}

// A manifest that was repaired by hand is not believed.
TEST_F(RecordingTest, AFileOfAnotherRecordingIsFoundThoughTheManifestNamesItsSum) {
  Record();
  Manifest manifest = (*Recording::Open(folder()))->manifest();
  const std::string id = manifest.id;
  manifest.id = "another";
  ASSERT_OK(ReplaceFile(folder() / kManifestName, ManifestText(manifest)));
  EXPECT_NE(MessageOf(ReadError()).find("another recording"), std::string_view::npos);
  manifest.id = id;
  std::swap(manifest.files[0].bytes, manifest.files[1].bytes);
  ASSERT_OK(ReplaceFile(folder() / kManifestName, ManifestText(manifest)));
  EXPECT_EQ(Check().damage.size(), 2u);
}

TEST_F(RecordingTest, AGapBetweenFilesIsFound) {
  Record();
  Manifest manifest = (*Recording::Open(folder()))->manifest();
  std::erase_if(manifest.files, [this](const RecordedFile& file) { return file == victim_; });
  ASSERT_OK(ReplaceFile(folder() / kManifestName, ManifestText(manifest)));
  const CheckedRecording checked = Check();
  ASSERT_EQ(checked.damage.size(), 1u);
  EXPECT_NE(checked.damage[0].find("are in no file"), std::string::npos) << checked.damage[0];
  EXPECT_EQ(checked.strangers, std::vector<std::string>{victim_.Name()});
}

TEST_F(RecordingTest, AnyPartOfAManifestIsRefused) {
  Record();
  const std::string text = *ReadWholeFile(folder() / kManifestName);
  ASSERT_OK(ParseManifest(text).status());
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_TRUE(IsPoison(ParseManifest(text.substr(0, size)).status())) << size;
  }
  for (const std::string_view hostile :
       {R"({"format":"orbweaver-recording","version":2})", R"({"format":"other","version":1})",
        R"({"format":"orbweaver-recording","version":1,"files":[{"topic":"../x","partition":0}]})",
        R"({"format":"orbweaver-recording","version":1,"gaps":[{"topic":"a","first":-1}]})"}) {
    EXPECT_TRUE(IsPoison(ParseManifest(hostile).status())) << hostile;
  }
  std::string deep = R"({"format":"orbweaver-recording","version":1,"x":)";
  deep.append(100'000, '[');
  EXPECT_TRUE(IsPoison(ParseManifest(deep).status()));
}

TEST_F(RecordingTest, AManifestIsReadAsItWasWritten) {
  Record();
  Manifest manifest = (*Recording::Open(folder()))->manifest();
  manifest.origin = {.software = "a \"b\"",
                     .source = "folder /x",
                     .strategy = "opic",
                     .strategy_version = 3,
                     .strategy_params = {{"a", "1"}},
                     .configuration = {{"scope.kind", "host"}}};
  manifest.sample = 0.05;
  manifest.gaps.push_back(
      {.topic = "spider-log", .partition = PartitionId(1), .first = Offset(3), .end = Offset(9)});
  const Manifest read = *ParseManifest(ManifestText(manifest));
  EXPECT_EQ(read.origin, manifest.origin);
  EXPECT_EQ(read.files, manifest.files);
  EXPECT_EQ(read.gaps, manifest.gaps);
  EXPECT_EQ(read.partitions, manifest.partitions);
  EXPECT_EQ(read.sample, 0.05);
  EXPECT_EQ(read.begun_at, manifest.begun_at);
}

TEST_F(RecordingTest, ItsNumbersAreThoseOfItsRecords) {
  SendPages(0, 10);
  EncodeBuffer buffer;
  const ScheduledRequest requests[] = {{.url = "https://a.example/1", .score = 0.5F},
                                       {.url = "https://a.example/2",
                                        .not_before = clock_.Wall(),
                                        .referrer = "https://a.example/"}};
  Send(kScoringLogTopic, 1, "a.example",
       *Encode({.entry = ScheduleRequests{.domain = "a.example",
                                          .domain_update = DomainUpdate{.purge = true},
                                          .requests = requests}},
               &buffer));
  Send(kScoringLogTopic, 1, "", *Encode(ScoringLogEntry{.entry = Marker{.owner = "w1"}}, &buffer));
  const auto to = *OpenFolder();
  ASSERT_OK(RecordAll(to.get()));
  ASSERT_OK(RecordAll(to.get(), {}, kScoringLogTopic));
  const auto stats = StatsOf(**Recording::Open(folder()));
  ASSERT_OK(stats.status());
  const TopicStats& log = stats->topics.at("spider-log");
  EXPECT_EQ(log.records, 21u);
  EXPECT_EQ(log.events, (std::map<std::string, uint64_t>{
                            {"links_found", 10}, {"page_fetched", 10}, {"unreadable", 1}}));
  EXPECT_EQ(log.domains, 7u);
  EXPECT_EQ(log.links, 20u);
  EXPECT_EQ(log.LinksAPage(), 2);
  EXPECT_GT(log.raw_bytes, 1000u);
  EXPECT_GT(log.bytes, log.record_bytes);
  EXPECT_EQ(stats->topics.at("scoring-log").events,
            (std::map<std::string, uint64_t>{{"marker", 1}, {"schedule", 1}}));
  EXPECT_EQ(InRecording(kScoringLogTopic), InLog(&bus_, kScoringLogTopic));
}

}  // namespace
}  // namespace orbweaver::lab
