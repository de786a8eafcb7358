#include "lab/recording/manifest.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

#include "absl/functional/function_ref.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/parquet/json_text.h"

namespace orbweaver::lab {
namespace {

constexpr std::string_view kFormat = "orbweaver-recording";
constexpr int64_t kVersion = 1;
constexpr int kMaxDepth = 16;

int64_t Millis(WallTime time) { return time.time_since_epoch().count(); }

void WriteRange(const LogRangeOf& range, JsonWriter* json) {
  json->Key("topic").Value(range.topic).Key("partition").Value(range.partition.value());
  json->Key("first").Value(range.first.value()).Key("end").Value(range.end.value());
}

void WriteMap(std::string_view key, const std::map<std::string, std::string>& map,
              JsonWriter* json) {
  json->Key(key).BeginObject();
  for (const auto& [name, value] : map) json->Key(name).Value(value);
  json->EndObject();
}

void WriteContents(const RecordedFile& file, JsonWriter* json) {
  WriteRange(file.range, json);
  json->Key("records").Value(file.records).Key("raw_bytes").Value(file.raw_bytes);
  json->Key("first_time_ms").Value(Millis(file.first_time));
  json->Key("last_time_ms").Value(Millis(file.last_time));
  json->Key("last_offset").Value(file.last_offset.value());
  json->Key("last_hash").Value(file.last_hash);
}

// Reads JSON whose fields may come in any order. Good until something is not as it must be.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool good() const { return good_; }
  bool AtEnd() { return good_ && text_.AtEnd(); }

  using Take = absl::FunctionRef<void(std::string_view)>;
  // Calls `field` for each; it reads the value.
  void Object(Take field) {
    if (!Enter('{')) return;
    for (bool first = true; good_ && text_.More('}', first, &good_); first = false) {
      std::string room;
      std::string_view name;
      if (!text_.TakeString(&room, &name) || !text_.Take(':')) return Fail();
      field(std::string(name));
    }
    --depth_;
  }
  void Array(absl::FunctionRef<void()> element) {
    if (!Enter('[')) return;
    for (bool first = true; good_ && text_.More(']', first, &good_); first = false) element();
    --depth_;
  }
  void Text(std::string* into) {
    std::string room;
    std::string_view text;
    if (!text_.TakeString(&room, &text)) return Fail();
    *into = text;
  }
  template <typename T>
  void Number(T* into) {
    std::string_view number;
    if (!text_.TakeNumber(&number)) return Fail();
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), *into);
    if (error != std::errc() || end != number.data() + number.size()) Fail();
  }
  void Time(WallTime* into) {
    int64_t ms = 0;
    Number(&ms);
    *into = WallTime(std::chrono::milliseconds(ms));
  }
  void Map(std::map<std::string, std::string>* into) {
    Object([&](std::string_view name) { Text(&(*into)[std::string(name)]); });
  }
  // Of a later version's field.
  void Skip() {
    std::string room;
    std::string_view text;
    if (text_.Peek() == '{') return Object([this](std::string_view) { Skip(); });
    if (text_.Peek() == '[') return Array([this] { Skip(); });
    if (text_.Peek() == '"') {
      if (!text_.TakeString(&room, &text)) Fail();
    } else if (!text_.TakeWord("null") && !text_.TakeWord("true") && !text_.TakeWord("false") &&
               !text_.TakeNumber(&text)) {
      Fail();
    }
  }
  void Fail() { good_ = false; }

 private:
  bool Enter(char opening) {
    if (++depth_ > kMaxDepth || !text_.Take(opening)) Fail();
    return good_;
  }

  parquet::JsonText text_;
  bool good_ = true;
  int depth_ = 0;
};

// False: no field of a range.
bool ReadRange(std::string_view name, Reader* in, LogRangeOf* range) {
  int64_t number = 0;
  if (name == "topic") {
    in->Text(&range->topic);
  } else if (name == "partition") {
    int32_t partition = 0;
    in->Number(&partition);
    range->partition = PartitionId(partition);
  } else if (name == "first") {
    in->Number(&number);
    range->first = Offset(number);
  } else if (name == "end") {
    in->Number(&number);
    range->end = Offset(number);
  } else {
    return false;
  }
  return true;
}

void ReadRanges(Reader* in, std::vector<LogRangeOf>* ranges) {
  in->Array([&] {
    LogRangeOf range;
    in->Object([&](std::string_view name) {
      if (!ReadRange(name, in, &range)) in->Skip();
    });
    ranges->push_back(std::move(range));
  });
}

// False: no field of a file.
bool ReadContents(std::string_view name, Reader* in, RecordedFile* file) {
  if (ReadRange(name, in, &file->range)) return true;
  if (name == "records") {
    in->Number(&file->records);
  } else if (name == "raw_bytes") {
    in->Number(&file->raw_bytes);
  } else if (name == "first_time_ms") {
    in->Time(&file->first_time);
  } else if (name == "last_time_ms") {
    in->Time(&file->last_time);
  } else if (name == "last_offset") {
    int64_t offset = 0;
    in->Number(&offset);
    file->last_offset = Offset(offset);
  } else if (name == "last_hash") {
    in->Text(&file->last_hash);
  } else {
    return false;
  }
  return true;
}

void ReadFiles(Reader* in, std::vector<RecordedFile>* files) {
  in->Array([&] {
    RecordedFile file;
    in->Object([&](std::string_view name) {
      if (ReadContents(name, in, &file)) return;
      if (name == "bytes") {
        in->Number(&file.bytes);
      } else if (name == "crc32") {
        std::string text;
        in->Text(&text);
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), file.crc, 16);
        if (error != std::errc() || end != text.data() + text.size()) in->Fail();
      } else {
        in->Skip();
      }
    });
    files->push_back(std::move(file));
  });
}

void ReadStrategy(Reader* in, RecordingOrigin* origin) {
  in->Object([&](std::string_view name) {
    if (name == "name") {
      in->Text(&origin->strategy);
    } else if (name == "version") {
      in->Number(&origin->strategy_version);
    } else if (name == "params") {
      in->Map(&origin->strategy_params);
    } else {
      in->Skip();
    }
  });
}

// Offsets and partitions that no log has, and names that lead out of the folder.
bool IsSound(const LogRangeOf& range) {
  return range.first.value() >= 0 && range.end >= range.first && range.partition.value() >= 0 &&
         !range.topic.empty() && range.topic.find('/') == std::string::npos &&
         range.topic[0] != '.';
}

bool IsSound(const Manifest& manifest) {
  return std::ranges::all_of(manifest.partitions, [](const auto& r) { return IsSound(r); }) &&
         std::ranges::all_of(manifest.gaps, [](const auto& r) { return IsSound(r); }) &&
         std::ranges::all_of(manifest.files, [](const auto& f) { return IsSound(f.range); });
}

}  // namespace

std::string RecordedFile::Name() const {
  return fmt::format("{}-{:05}-{:020}-{:020}.parquet", range.topic, range.partition.value(),
                     range.first.value(), range.end.value());
}

LogRangeOf* Manifest::Find(std::string_view topic, PartitionId partition) {
  const auto found = std::ranges::find_if(
      partitions, [&](const LogRangeOf& range) { return range.IsOf(topic, partition); });
  return found == partitions.end() ? nullptr : &*found;
}

const LogRangeOf* Manifest::Find(std::string_view topic, PartitionId partition) const {
  return const_cast<Manifest*>(this)->Find(topic, partition);
}

std::vector<std::string> Manifest::Topics() const {
  std::set<std::string> topics;
  for (const LogRangeOf& range : partitions) topics.insert(range.topic);
  return {topics.begin(), topics.end()};
}

std::vector<PartitionId> Manifest::Partitions(std::string_view topic) const {
  std::set<PartitionId> found;
  for (const LogRangeOf& range : partitions) {
    if (range.topic == topic) found.insert(range.partition);
  }
  return {found.begin(), found.end()};
}

std::vector<RecordedFile> Manifest::FilesOf(std::string_view topic, PartitionId partition) const {
  std::vector<RecordedFile> found;
  std::ranges::copy_if(files, std::back_inserter(found),
                       [&](const RecordedFile& file) { return file.range.IsOf(topic, partition); });
  return found;
}

std::string ManifestText(const Manifest& manifest) {
  std::string text;
  JsonWriter json(&text);
  const RecordingOrigin& origin = manifest.origin;
  json.BeginObject().Key("format").Value(kFormat).Key("version").Value(kVersion);
  json.Key("id").Value(manifest.id).Key("begun_at_ms").Value(Millis(manifest.begun_at));
  json.Key("software").Value(origin.software).Key("source").Value(origin.source);
  json.Key("strategy").BeginObject().Key("name").Value(origin.strategy);
  json.Key("version").Value(origin.strategy_version);
  WriteMap("params", origin.strategy_params, &json);
  json.EndObject();
  WriteMap("configuration", origin.configuration, &json);
  json.Key("sample").Value(manifest.sample);
  const std::pair<std::string_view, const std::vector<LogRangeOf>*> ranges[] = {
      {"partitions", &manifest.partitions}, {"gaps", &manifest.gaps}};
  for (const auto& [key, list] : ranges) {
    json.Key(key).BeginArray();
    for (const LogRangeOf& range : *list) {
      json.BeginObject();
      WriteRange(range, &json);
      json.EndObject();
    }
    json.EndArray();
  }
  json.Key("files").BeginArray();
  for (const RecordedFile& file : manifest.files) {
    json.BeginObject().Key("name").Value(file.Name());
    WriteContents(file, &json);
    json.Key("bytes").Value(file.bytes).Key("crc32").Value(fmt::format("{:08x}", file.crc));
    json.EndObject();
  }
  json.EndArray().EndObject();
  text.push_back('\n');
  return text;
}

absl::StatusOr<Manifest> ParseManifest(std::string_view text) {
  Reader in(text);
  Manifest manifest;
  std::string format;
  int64_t version = 0;
  in.Object([&](std::string_view name) {
    if (name == "format") {
      in.Text(&format);
    } else if (name == "version") {
      in.Number(&version);
    } else if (name == "id") {
      in.Text(&manifest.id);
    } else if (name == "begun_at_ms") {
      in.Time(&manifest.begun_at);
    } else if (name == "software") {
      in.Text(&manifest.origin.software);
    } else if (name == "source") {
      in.Text(&manifest.origin.source);
    } else if (name == "strategy") {
      ReadStrategy(&in, &manifest.origin);
    } else if (name == "configuration") {
      in.Map(&manifest.origin.configuration);
    } else if (name == "sample") {
      in.Number(&manifest.sample);
    } else if (name == "partitions") {
      ReadRanges(&in, &manifest.partitions);
    } else if (name == "gaps") {
      ReadRanges(&in, &manifest.gaps);
    } else if (name == "files") {
      ReadFiles(&in, &manifest.files);
    } else {
      in.Skip();
    }
  });
  if (!in.AtEnd()) return PoisonError("read a manifest: it is damaged, or none");
  if (format != kFormat) return PoisonError("read a manifest: it is none of a recording");
  if (version != kVersion) {
    return PoisonError("read a manifest: version {}; this program knows {}. Use a newer one",
                       version, kVersion);
  }
  if (!IsSound(manifest)) return PoisonError("read a manifest: it has ranges that no log has");
  return manifest;
}

std::string FileText(std::string_view recording_id, const RecordedFile& file) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("id").Value(recording_id);
  WriteContents(file, &json);
  json.EndObject();
  return text;
}

absl::StatusOr<FileClaim> ParseFileText(std::string_view text) {
  Reader in(text);
  FileClaim claim;
  in.Object([&](std::string_view name) {
    if (name == "id") {
      in.Text(&claim.recording_id);
    } else if (!ReadContents(name, &in, &claim.file)) {
      in.Skip();
    }
  });
  if (!in.AtEnd() || !IsSound(claim.file.range)) {
    return PoisonError("read a recorded file: what it says of itself is damaged");
  }
  return claim;
}

}  // namespace orbweaver::lab
