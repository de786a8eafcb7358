// `orbweaver record check` and `stats`: what is said of a recording.
#pragma once

#include "cli/record/record_arguments.h"

#include "lab/recording/recording.h"

namespace orbweaver {

// Each returns the exit code.
int CheckRecordingCommand(const RecordArguments& args);
int RecordingStatsCommand(const RecordArguments& args);

// Lines on standard error; none where nothing was.
void TellLeftOut(const lab::LeftOut& left_out);

}  // namespace orbweaver
