#include "spider/publish/line_converter.h"

#include <utility>

#include "spider/publish/lines_to_parquet.h"

namespace orbweaver {

LineConverter::LineConverter() : thread_([this] { Run(); }) {}

LineConverter::~LineConverter() {
  {
    const absl::MutexLock lock(&mutex_);
    is_ending_ = true;
  }
  thread_.join();
}

absl::Status LineConverter::Add(std::unique_ptr<OutputFile> lines) {
  const absl::MutexLock lock(&mutex_);
  waiting_.push_back(std::move(lines));
  const auto has_room = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return waiting_.size() < kMaxWaiting || !failed_.ok();
  };
  mutex_.Await(absl::Condition(&has_room));
  return failed_;
}

absl::Status LineConverter::Wait() {
  const absl::MutexLock lock(&mutex_);
  const auto is_done = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return (waiting_.empty() && !is_busy_) || !failed_.ok();
  };
  mutex_.Await(absl::Condition(&is_done));
  return failed_;
}

void LineConverter::Run() {
  while (true) {
    std::unique_ptr<OutputFile> lines;
    {
      const absl::MutexLock lock(&mutex_);
      const auto has_work = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return is_ending_ || (!waiting_.empty() && failed_.ok());
      };
      mutex_.Await(absl::Condition(&has_work));
      if (is_ending_) return;
      lines = std::move(waiting_.front());
      waiting_.pop_front();
      is_busy_ = true;
    }
    const absl::Status status = LinesToParquet(lines->path());
    lines.reset();  // with its lock
    const absl::MutexLock lock(&mutex_);
    is_busy_ = false;
    failed_.Update(status);
  }
}

}  // namespace orbweaver
